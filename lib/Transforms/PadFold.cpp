// pad-fold: a Pad with zeros becomes padding of the convolution that reads it.
#include "tigris/Pass/Rewrite.h"
#include "tigris/Support/Remarks.h"
#include "tigris/Transforms/Passes.h"

#include <algorithm>

namespace tigris {

namespace {

constexpr const char* PadFoldDoc =
    R"(A Pad writes a larger copy of its operand, which only the convolution reads. Convolution
kernels pad while they read, also asymmetrically:

    t = Pad(x) {pads: [0, 0, 1, 1, 0, 0, 1, 1]}
    y = Conv(t, w) {pads: [0, 0, 0, 0]}            ->   y = Conv(x, w) {pads: [1, 1, 1, 1]}

Only zeros are folded (in an int8 graph, the zero point), only along spatial axes, not along
channels or batches, and only into convolutions and pools that average over their padding.)";

using Ints = std::vector<int64_t>;

bool padsWithZero(const Op& op) {
  switch (op.kind) {
  case OpKind::Conv:
  case OpKind::DepthwiseConv:
  case OpKind::Conv1D:
    return true;
  case OpKind::AveragePool:
    return op.attrs.getInt("count_include_pad", 0) != 0 && op.attrs.getInt("ceil_mode", 0) == 0;
  default:
    return false;
  }
}

/// Pads at the beginning and end of the spatial axes; nullopt if the Pad does anything else.
std::optional<Ints> zeroPositions(const Graph& graph, const Op& op) {
  const size_t rank = graph.tensor(op.input(0)).shape.rank();
  const Ints pads = op.attrs.getInts("pads");
  if (op.inputs.size() != 1 || op.attrs.getString("mode", "constant") != "constant" ||
      op.attrs.getFloat("value", 0) != 0 || op.attrs.has("axes") || pads.size() != 2 * rank ||
      rank < 3 || std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; }))
    return std::nullopt;
  Ints positions;
  const size_t first = firstSpatialAxis(graph.layout());
  for (size_t i = 0; i < pads.size(); ++i) {
    const size_t axis = i % rank;
    if (axis >= first && axis < first + rank - 2)
      positions.push_back(pads[i]);
    else if (pads[i] != 0)
      return std::nullopt;
  }
  return positions;
}

/// Whether some window of an average would contain padding only, which onnxruntime and our kernels
/// reject.
bool leavesEmptyWindows(const Op& op, const Ints& pads) {
  if (op.kind != OpKind::AveragePool)
    return false;
  const Ints kernel = op.attrs.getInts("kernel_shape");
  const Ints dilations = op.attrs.getInts("dilations", Ints(kernel.size(), 1));
  for (size_t i = 0; i < pads.size(); ++i)
    if (dilations[i % kernel.size()] != 1 || pads[i] >= kernel[i % kernel.size()])
      return true;
  return false;
}

/// Why the Pad cannot become padding of its reader; empty if it can. Does not consider empty
/// windows (leavesEmptyWindows).
std::string obstacleToPadFold(const Graph& graph, const Op& pad, OpId reader,
                              const std::optional<Ints>& positions) {
  if (!sameQuant(graph, pad.input(0), pad.output()))
    return "its operand and its result are quantized differently";
  if (!positions)
    return "it does something other than pad spatial axes with zeros";
  if (!reader)
    return "its result is a model output or has several readers";
  const Op& op = graph.op(reader);
  const std::string who = strCat("op '", op.name, "' (", op.kindName(), ") after it ");
  if (!padsWithZero(op) || op.input(0) != pad.output())
    return who + "does not pad that operand with zeros itself";
  if (!hasKnownTypes(graph, reader) || op.attrs.getString("auto_pad", "NOTSET") != "NOTSET")
    return who + "has padding that is not known yet";
  return {};
}

PassStatus padFold(Graph& graph, PassContext&) {
  return forEachOp(graph, [&](OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::Pad || !hasKnownTypes(graph, id))
      return false;
    const OpId reader = soleReader(graph, op.output());
    const auto more = zeroPositions(graph, op);
    if (const std::string obstacle = obstacleToPadFold(graph, op, reader, more); !obstacle.empty())
      return remarkOn(op, "not-folded", obstacle);
    Ints pads = graph.op(reader).attrs.getInts("pads", Ints(more->size(), 0));
    for (size_t i = 0; i < pads.size(); ++i)
      pads[i] += (*more)[i];
    if (leavesEmptyWindows(graph.op(reader), pads))
      return remarkOn(op, "not-folded", "a window of op '", graph.op(reader).name,
                      "' would average over padding only");
    graph.editOp(reader).attrs.set("pads", std::move(pads));
    addOrigin(graph.editOp(reader), op);
    graph.setInput(reader, 0, op.input(0));
    graph.eraseOp(id);
    return true;
  });
}

} // namespace

PassInfo padFoldPass() {
  return functionPass("pad-fold", "zero padding moves into the following convolution or pool",
                      PadFoldDoc, padFold);
}

} // namespace tigris
