// Lowers Attention of ONNX and of com.microsoft, and rotary embeddings, to products, Softmax and
// data movement.
//
//   scores = Q * K^T * scale  [+ mask] [soft cap]        [B, H, S, T]
//   y      = Softmax(scores) * V                         [B, H, S, D]
// B is the batch, H the number of heads, S the number of queries, T that of keys, D the size of a
// head.
#include "tigris/IR/Elements.h"
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <cmath>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// Reshapes and transposes [B, S, H * D] to [B, H, S, D].
TensorId toHeads(const NodeContext& node, Chain& chain, const std::string& suffix, TensorId x,
                 int64_t heads) {
  if (chain.failed())
    return {};
  const Shape shape = node.tensor(x).shape;
  const TensorId split =
      chain.reshape(suffix + "_split", x, {shape[0], shape[1], heads, shape[2] / heads});
  return chain.transpose(suffix + "_heads", split, {0, 2, 1, 3});
}

/// Repeats the heads of each of `count` groups, if there are fewer key heads than query heads.
TensorId repeatHeads(const NodeContext& node, Chain& chain, const std::string& suffix, TensorId x,
                     int64_t count) {
  if (chain.failed() || count == 1)
    return x;
  const Shape s = node.tensor(x).shape;
  const Shape wide = {s[0], s[1], count, s[2], s[3]};
  const TensorId one = chain.reshape(suffix + "_groups", x, {s[0], s[1], 1, s[2], s[3]});
  const TensorId all = chain.op(suffix + "_repeated", OpKind::Expand, {one},
                                {{"shape", Ints(wide.begin(), wide.end())}});
  return chain.reshape(suffix + "_shared", all, {s[0], s[1] * count, s[2], s[3]});
}

/// Adds a causal mask: 0 if query i may use key j, minus infinity if j > i + past.
Status addCausalMask(NodeContext& node, int64_t queries, int64_t keys, int64_t past,
                     std::vector<TensorId>& addends) {
  if (Status status = node.limitTable({queries, keys}, DType::Float32); !status)
    return status;
  std::vector<float> mask;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      mask.push_back(j > i + past ? -Infinity : 0.0F);
  addends.push_back(node.constant("causal", DType::Float32, {queries, keys}, makeBlobOf(mask)));
  return {};
}

/// The summand for the scores from an operand `mask`: numbers unchanged, false as minus infinity.
/// Keys beyond its end are masked.
TensorId addend(NodeContext& node, Chain& chain, TensorId mask, int64_t keys) {
  if (node.tensor(mask).type == DType::Bool)
    mask = chain.op("mask", OpKind::Where,
                    {mask, node.scalar("seen", 0), node.scalar("unseen", -Infinity)});
  if (chain.failed())
    return {};
  const Shape shape = node.tensor(mask).shape;
  if (shape.rank() == 0 || shape.fromBack(0) >= keys || shape.fromBack(0) == 1)
    return mask;
  Ints pads(2 * shape.rank(), 0);
  pads.back() = keys - shape.fromBack(0);
  return chain.op("mask_to_end", OpKind::Pad, {mask},
                  {{"pads", pads}, {"value", static_cast<double>(-Infinity)}});
}

/// Minus infinity for the keys of each batch from `lengths` on.
TensorId paddingMask(NodeContext& node, Chain& chain, TensorId lengths, int64_t keys) {
  Ints positions;
  for (int64_t i = 0; i < keys; ++i)
    positions.push_back(i);
  const TensorId ramp = node.constant("positions", DType::Int64, {keys}, makeBlobOf(positions));
  const TensorId column =
      chain.reshape("lengths", lengths, {node.tensor(lengths).elements(), 1, 1, 1});
  return chain.op("padding", OpKind::Where,
                  {chain.op("is_there", OpKind::Less, {ramp, column}), node.scalar("there", 0),
                   node.scalar("beyond", -Infinity)});
}

/// The scores of [B, H, S, D] queries and [B, H, T, D] keys, before and after Softmax.
struct Scores {
  TensorId product; ///< scaled
  TensorId biased;  ///< with masks added
  TensorId capped;  ///< after the soft cap
  TensorId softmax;
};

Scores scoresOf(NodeContext& node, Chain& chain, TensorId q, TensorId k, double scale,
                const std::vector<TensorId>& addends, double softcap) {
  Scores scores;
  const TensorId scaled =
      chain.op("scaled", OpKind::Mul, {q, node.scalar("scale", static_cast<float>(scale))});
  scores.product =
      chain.op("scores", OpKind::MatMul, {scaled, chain.transpose("keys", k, {0, 1, 3, 2})});
  scores.biased = scores.product;
  for (size_t i = 0; i < addends.size(); ++i)
    scores.biased = chain.op(strCat("masked", i), OpKind::Add, {scores.biased, addends[i]});
  scores.capped = scores.biased;
  if (softcap > 0) {
    const TensorId cap = node.scalar("cap", static_cast<float>(softcap));
    const TensorId tanh =
        chain.op("tanh", OpKind::Tanh, {chain.op("uncapped", OpKind::Div, {scores.biased, cap})});
    scores.capped = chain.op("capped", OpKind::Mul, {tanh, cap});
  }
  scores.softmax = chain.op("weights", OpKind::Softmax, {scores.capped}, {{"axis", int64_t{-1}}});
  return scores;
}

/// Writes [B, H, S, D] to result 0, as [B, S, H * D] if `flat`.
Status finishValues(const NodeContext& node, Chain& chain, TensorId weights, TensorId v,
                    bool flat) {
  if (!flat)
    return chain.finishOutput(0, OpKind::MatMul, {weights, v});
  const TensorId y =
      chain.transpose("tokens", chain.op("values", OpKind::MatMul, {weights, v}), {0, 2, 1, 3});
  if (chain.failed())
    return chain.status();
  const Shape s = node.tensor(y).shape;
  return chain.finishOutput(0, OpKind::Reshape, {y}, {{"shape", Ints{s[0], s[1], s[2] * s[3]}}});
}

Status checkHeads(const NodeContext& node, int64_t queries, int64_t keys) {
  if (queries < 1 || keys < 1 || queries % keys != 0)
    return node.refuse(DiagId::BadAttr, "it has ", queries, " heads of queries and ", keys,
                       " of keys; the former must be a multiple of the latter");
  return {};
}

/// Numeric attributes by name; keeps the first failure.
struct Attrs {
  explicit Attrs(const NodeContext& node) : node_(node) {}
  int64_t integer(std::string_view name, int64_t fallback) {
    Expected<int64_t> value = node_.intAttr(name, fallback);
    return value ? *value : (status = value.takeError(), fallback);
  }
  double real(std::string_view name, double fallback) {
    Expected<double> value = node_.floatAttr(name, fallback);
    return value ? *value : (status = value.takeError(), fallback);
  }
  Status status;

private:
  const NodeContext& node_;
};

/// ONNX Attention, opset 23: grouped heads, masks, and caches of keys and values as operands and
/// results.
Status attention(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  Attrs attrs(node);
  const bool causal = attrs.integer("is_causal", 0) != 0;
  const int64_t mode = attrs.integer("qk_matmul_output_mode", 0);
  const double softcap = attrs.real("softcap", 0);
  const size_t rank = node.tensor(node.input(0)).shape.rank();
  int64_t queryHeads = attrs.integer("q_num_heads", 0);
  int64_t keyHeads = attrs.integer("kv_num_heads", 0);
  for (size_t i = 0; i < 3; ++i)
    if (const Shape& shape = node.tensor(node.input(i)).shape;
        shape.rank() != rank || (rank != 3 && rank != 4))
      return node.refuse(DiagId::BadShape, "input ", i, " has shape ", shape.str(),
                         ", expected rank 3 or 4 for all");
  Chain chain(node);
  std::vector<TensorId> operands = {node.input(0), node.input(1), node.input(2)};
  if (rank == 4) {
    queryHeads = node.tensor(operands[0]).shape[1];
    keyHeads = node.tensor(operands[1]).shape[1];
  }
  if (Status status = checkHeads(node, queryHeads, keyHeads); !status)
    return status;
  if (rank == 3) {
    operands[0] = toHeads(node, chain, "q", operands[0], queryHeads);
    operands[1] = toHeads(node, chain, "k", operands[1], keyHeads);
    operands[2] = toHeads(node, chain, "v", operands[2], keyHeads);
  }
  int64_t past = 0;
  for (const size_t i : {size_t{1}, size_t{2}})
    if (const TensorId cache = node.input(3 + i)) {
      past = node.tensor(cache).shape[2];
      operands[i] = chain.op(i == 1 ? "all_keys" : "all_values", OpKind::Concat,
                             {cache, operands[i]}, {{"axis", int64_t{2}}});
    }
  if (chain.failed() || !attrs.status)
    return chain.failed() ? chain.status() : attrs.status;
  const Shape q = node.tensor(operands[0]).shape;
  const int64_t keys = node.tensor(operands[1]).shape[2];
  std::vector<TensorId> addends;
  if (node.input(3))
    addends.push_back(addend(node, chain, node.input(3), keys));
  if (causal)
    if (Status status = addCausalMask(node, q[2], keys, past, addends); !status)
      return status;
  if (node.input(6)) {
    if (Status status = node.limitTable({keys}, DType::Int64); !status)
      return status;
    addends.push_back(paddingMask(node, chain, node.input(6), keys));
  }
  const double scale = attrs.real("scale", 1 / std::sqrt(static_cast<double>(q[3])));
  const int64_t groups = queryHeads / keyHeads;
  const Scores scores =
      scoresOf(node, chain, operands[0], repeatHeads(node, chain, "k", operands[1], groups), scale,
               addends, softcap);
  const TensorId shown[] = {scores.product, scores.biased, scores.capped, scores.softmax};
  if (mode < 0 || mode > 3)
    return node.refuse(DiagId::BadAttr, "'qk_matmul_output_mode' is ", mode, ", expected 0 to 3");
  for (size_t i = 1; i < node.outputCount() && i < 4; ++i)
    if (node.outputUsed(i))
      if (Status status = chain.finishOutput(
              i, OpKind::Identity, {i < 3 ? operands[i] : shown[static_cast<size_t>(mode)]});
          !status)
        return status;
  return finishValues(node, chain, scores.softmax,
                      repeatHeads(node, chain, "v", operands[2], groups), rank == 3);
}

/// Rejects operands of com.microsoft's operators for features that are not supported.
Status refuseOperands(const NodeContext& node,
                      std::initializer_list<std::pair<size_t, std::string_view>> operands) {
  for (const auto& [index, name] : operands)
    if (node.input(index))
      return node.unsupported("input '", name,
                              "' is not supported; save the model without onnxruntime's "
                              "optimizations for transformers");
  for (size_t i = 1; i < node.outputCount(); ++i)
    if (node.outputUsed(i))
      return node.unsupported("result ", i, " is used; only the first one is supported");
  return {};
}

/// The common part of com.microsoft's two operators, from queries, keys and values of [B, S, H *
/// D].
Status contribAttention(NodeContext& node, Chain& chain, const std::vector<TensorId>& qkv,
                        TensorId bias) {
  Attrs attrs(node);
  const int64_t heads = attrs.integer("num_heads", 0);
  const bool causal = attrs.integer("unidirectional", 0) != 0;
  if (chain.failed())
    return chain.status();
  const Shape q = node.tensor(qkv[0]).shape;
  const Shape k = node.tensor(qkv[1]).shape;
  if (heads < 1 || q.rank() != 3 || k.rank() != 3 || q[2] % heads != 0)
    return node.refuse(DiagId::BadAttr, "'num_heads' is ", heads, " for queries of shape ",
                       q.str());
  const double given = attrs.real("scale", 0);
  const double scale =
      given != 0 ? given : 1 / std::sqrt(static_cast<double>(q[2]) / static_cast<double>(heads));
  if (!attrs.status)
    return attrs.status;
  std::vector<TensorId> addends;
  if (bias)
    addends.push_back(bias);
  if (causal)
    if (Status status = addCausalMask(node, q[1], k[1], 0, addends); !status)
      return status;
  const TensorId queries = toHeads(node, chain, "q", qkv[0], heads);
  const TensorId keys = toHeads(node, chain, "k", qkv[1], heads);
  const Scores scores = scoresOf(node, chain, queries, keys, scale, addends, 0);
  return finishValues(node, chain, scores.softmax, toHeads(node, chain, "v", qkv[2], heads), true);
}

/// com.microsoft::Attention: one projection [inputs, 3 * H * D] with a bias, split into three.
Status packedAttention(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  if (Status status =
          refuseOperands(node, {{3, "mask_index"}, {4, "past"}, {6, "past_sequence_length"}});
      !status)
    return status;
  for (const char* name : {"do_rotary", "qkv_hidden_sizes"})
    if (node.hasAttr(name))
      return node.unsupported("attribute '", name,
                              "' is not supported; save the model without "
                              "onnxruntime's optimizations for transformers");
  Chain chain(node);
  TensorId all = chain.op("projection", OpKind::MatMul, {node.input(0), node.input(1)});
  if (node.input(2))
    all = chain.op("projection_bias", OpKind::Add, {all, node.input(2)});
  if (chain.failed())
    return chain.status();
  const Shape& projected = node.tensor(all).shape;
  if (projected.rank() != 3)
    return node.refuse(DiagId::BadShape, "its projection has shape ", projected.str(),
                       ", expected rank 3");
  const int64_t size = projected[2] / 3;
  std::vector<TensorId> qkv;
  for (const int64_t i : {0, 1, 2})
    qkv.push_back(chain.slice(strCat("part", i), all, 2, i * size, (i + 1) * size));
  return contribAttention(node, chain, qkv, node.input(5));
}

/// com.microsoft::MultiHeadAttention: queries, keys and values, each with its part of a bias.
Status multiHeadAttention(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  if (Status status =
          refuseOperands(node, {{4, "key_padding_mask"}, {6, "past_key"}, {7, "past_value"}});
      !status)
    return status;
  Chain chain(node);
  std::vector<TensorId> qkv = {node.input(0), node.input(1), node.input(2)};
  int64_t begin = 0;
  for (size_t i = 0; i < 3; ++i) {
    const Shape shape = node.tensor(qkv[i]).shape;
    if (shape.rank() != 3)
      return node.unsupported("input ", i, " has shape ", shape.str(), ", expected rank 3");
    if (const TensorId bias = node.input(3)) {
      const TensorId part =
          chain.slice(strCat("bias", i), bias, 0, begin, begin + shape.fromBack(0));
      qkv[i] = chain.op(strCat("biased", i), OpKind::Add, {qkv[i], part});
    }
    begin += shape.fromBack(0);
  }
  return contribAttention(node, chain, qkv, node.input(5));
}

/// The elements of the last axis from `begin` to `end` with a step.
TensorId lastAxis(Chain& chain, const std::string& suffix, TensorId x, int64_t begin, int64_t end,
                  int64_t step) {
  return chain.op(
      suffix, OpKind::Slice, {x},
      {{"starts", Ints{begin}}, {"ends", Ints{end}}, {"axes", Ints{-1}}, {"steps", Ints{step}}});
}

/// ONNX RotaryEmbedding, opset 23: rotates pairs of elements by an angle that depends on their
/// position.
Status rotaryEmbedding(NodeContext& node) {
  if (Status status = node.requireInputs(3); !status)
    return status;
  Attrs attrs(node);
  const bool interleaved = attrs.integer("interleaved", 0) != 0;
  int64_t turned = attrs.integer("rotary_embedding_dim", 0);
  const int64_t heads = attrs.integer("num_heads", 0);
  if (!attrs.status)
    return attrs.status;
  Chain chain(node);
  TensorId x = node.input(0);
  const Shape given = node.tensor(x).shape;
  if (given.rank() != 4 && (given.rank() != 3 || heads < 1 || given[2] % heads != 0))
    return node.refuse(DiagId::BadShape, "its operand has shape ", given.str(),
                       " and 'num_heads' is ", heads);
  const bool flat = given.rank() == 3;
  if (flat)
    x = chain.reshape("heads", x, {given[0], given[1], heads, given[2] / heads});
  const int64_t size = flat ? given[2] / heads : given[3];
  turned = turned == 0 ? size : turned;
  std::vector<TensorId> angles;
  for (const size_t i : {size_t{1}, size_t{2}}) {
    TensorId cache = node.input(i);
    if (node.input(3))
      cache = chain.op(strCat("positions", i), OpKind::Gather, {cache, node.input(3)},
                       {{"axis", int64_t{0}}});
    if (chain.failed())
      return chain.status();
    const Shape s = node.tensor(cache).shape;
    if (s.rank() != 3 || s[2] * 2 != turned)
      return node.refuse(DiagId::BadShape, "its table of angles has shape ", s.str(),
                         ", expected half of ", turned, " per position");
    angles.push_back(chain.reshape(strCat("angles", i), cache,
                                   flat ? Shape{s[0], s[1], 1, s[2]} : Shape{s[0], 1, s[1], s[2]}));
  }
  const int64_t half = turned / 2;
  const TensorId a = interleaved ? lastAxis(chain, "even", x, 0, turned, 2)
                                 : lastAxis(chain, "first", x, 0, half, 1);
  const TensorId b = interleaved ? lastAxis(chain, "odd", x, 1, turned, 2)
                                 : lastAxis(chain, "second", x, half, turned, 1);
  const auto turn = [&](const std::string& name, OpKind kind, TensorId u, TensorId v) {
    return chain.op(name, kind,
                    {chain.op(name + "_cos", OpKind::Mul, {angles[0], u}),
                     chain.op(name + "_sin", OpKind::Mul, {angles[1], v})});
  };
  std::vector<TensorId> parts = {turn("real", OpKind::Sub, a, b),
                                 turn("imaginary", OpKind::Add, b, a)};
  if (chain.failed())
    return chain.status();
  if (interleaved) {
    const Shape s = node.tensor(parts[0]).shape;
    for (size_t i = 0; i < 2; ++i)
      parts[i] = chain.reshape(strCat("column", i), parts[i], {s[0], s[1], s[2], s[3], 1});
    const TensorId pairs =
        chain.op("pairs", OpKind::Concat, {parts[0], parts[1]}, {{"axis", int64_t{-1}}});
    parts = {chain.reshape("turned", pairs, {s[0], s[1], s[2], turned})};
  }
  if (turned < size)
    parts.push_back(lastAxis(chain, "rest", x, turned, size, 1));
  TensorId y = parts[0];
  if (parts.size() > 1)
    y = chain.op("joined", OpKind::Concat, parts, {{"axis", int64_t{-1}}});
  return chain.finish(OpKind::Reshape, {y}, {{"shape", given.dims()}});
}

} // namespace

const RuleTable& attentionRules() {
  static const RuleTable Rules = {
      {"Attention", attention},
      {"RotaryEmbedding", rotaryEmbedding},
  };
  return Rules;
}

const RuleTable& contribAttentionRules() {
  static const RuleTable Rules = {
      {"Attention", packedAttention},
      {"MultiHeadAttention", multiHeadAttention},
  };
  return Rules;
}

} // namespace tigris
