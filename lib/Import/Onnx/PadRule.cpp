// Pad: negative pads crop, and the mode "wrap" repeats the operand.
//
//   Pad(x) {pads: [-1, 2]}    ->   Pad(Slice(x, 1..)) {pads: [0, 2]}
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <algorithm>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// Elements that are added before and after each axis; negative numbers remove elements.
struct Pads {
  Ints before;
  Ints after;

  bool crops() const {
    const auto negative = [](int64_t amount) { return amount < 0; };
    return std::any_of(before.begin(), before.end(), negative) ||
           std::any_of(after.begin(), after.end(), negative);
  }
};

Expected<Pads> padsOf(const NodeContext& node, const Shape& shape) {
  Ints amounts;
  if (const onnx::AttributeProto* attribute = node.findAttr("pads")) {
    amounts.assign(attribute->ints().begin(), attribute->ints().end());
  } else {
    const BlobRef known = node.valueOf(node.input(1));
    if (known == nullptr || (node.input(3) && node.valueOf(node.input(3)) == nullptr))
      return node.unsupported("its pads are computed at run time; they must be constant");
    amounts = loadElements<int64_t>(*known, node.tensor(node.input(1)).type);
  }
  Ints along;
  if (node.input(3))
    along = loadElements<int64_t>(*node.valueOf(node.input(3)), node.tensor(node.input(3)).type);
  else
    for (size_t i = 0; i < shape.rank(); ++i)
      along.push_back(static_cast<int64_t>(i));
  if (amounts.size() != 2 * along.size())
    return node.refuse(DiagId::BadAttr, "has ", amounts.size(), " pads for ", along.size(),
                       " axes");
  Pads pads = {Ints(shape.rank(), 0), Ints(shape.rank(), 0)};
  for (size_t i = 0; i < along.size(); ++i) {
    const std::optional<size_t> axis = normalizeAxis(along[i], shape.rank());
    if (!axis)
      return node.refuse(DiagId::BadAttr, "axis ", along[i], " is outside of rank ", shape.rank());
    pads.before[*axis] = amounts[i];
    pads.after[*axis] = amounts[along.size() + i];
  }
  return pads;
}

/// Indices of a Gather that extends an axis periodically on both sides.
Ints wrapped(int64_t before, int64_t size, int64_t after) {
  Ints indices;
  for (int64_t i = -before; i < size + after; ++i)
    indices.push_back(((i % size) + size) % size);
  return indices;
}

Status wrap(NodeContext& node, Chain& chain, TensorId x, const Pads& pads) {
  const Shape shape = node.tensor(x).shape;
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    const int64_t before = pads.before[axis];
    const int64_t after = pads.after[axis];
    if (before == 0 && after == 0)
      continue;
    if (shape[axis] == 0)
      return node.unsupported("it wraps axis ", axis, ", which has no elements");
    for (const int64_t part : {before, shape[axis], after})
      if (Status status = node.limitTable({part}, DType::Int64); !status)
        return status;
    const Ints indices = wrapped(before, shape[axis], after);
    const TensorId picks = node.constant(
        "picks", DType::Int64, {static_cast<int64_t>(indices.size())}, makeBlobOf(indices));
    x = chain.op("wrapped", OpKind::Gather, {x, picks}, {{"axis", static_cast<int64_t>(axis)}});
  }
  return chain.finish(OpKind::Identity, {x});
}

/// Removes what negative pads remove, and leaves the positive ones.
Expected<TensorId> crop(NodeContext& node, Chain& chain, Pads& pads) {
  TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    int64_t& before = pads.before[axis];
    int64_t& after = pads.after[axis];
    const int64_t begin = std::max<int64_t>(0, -before);
    const int64_t end = shape[axis] - std::max<int64_t>(0, -after);
    if (begin >= end && shape[axis] != 0)
      return node.unsupported("its pads ", before, " and ", after, " of axis ", axis,
                              " remove all of its ", shape[axis], " elements");
    if (before < 0 || after < 0)
      x = chain.slice("cropped", x, static_cast<int64_t>(axis), begin, end);
    before = std::max<int64_t>(0, before);
    after = std::max<int64_t>(0, after);
  }
  if (chain.failed())
    return chain.status().error();
  return x;
}

Status padCropped(NodeContext& node, Chain& chain, TensorId x, const Pads& pads) {
  Expected<AttrMap> attrs = node.attrsFor(OpKind::Pad, {"pads"});
  if (!attrs)
    return attrs.takeError();
  Ints amounts = pads.before;
  amounts.insert(amounts.end(), pads.after.begin(), pads.after.end());
  attrs->set("pads", std::move(amounts));
  std::vector<TensorId> inputs = {x};
  if (node.input(2)) {
    inputs.emplace_back();
    inputs.push_back(node.input(2));
  }
  return chain.finish(OpKind::Pad, std::move(inputs), std::move(*attrs));
}

} // namespace

Status importPad(NodeContext& node) {
  Expected<std::string> mode = node.stringAttr("mode", "constant");
  if (!mode)
    return mode.takeError();
  const bool isKnown = node.hasAttr("pads") || node.valueOf(node.input(1)) != nullptr;
  if (!node.input(0) || (*mode != "wrap" && !isKnown))
    return node.finishPlain(OpKind::Pad);
  Expected<Pads> pads = padsOf(node, node.tensor(node.input(0)).shape);
  if (!pads)
    return pads.takeError();
  if (*mode != "wrap" && !pads->crops())
    return node.finishPlain(OpKind::Pad);
  Chain chain(node);
  Expected<TensorId> x = crop(node, chain, *pads);
  if (!x)
    return x.takeError();
  return *mode == "wrap" ? wrap(node, chain, *x, *pads) : padCropped(node, chain, *x, *pads);
}

} // namespace tigris
