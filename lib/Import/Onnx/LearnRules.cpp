// ai.onnx.ml: the operators of scikit-learn's small models (skl2onnx), with the results of
// onnxruntime.
#include "tigris/Import/Onnx/OnnxOps.h"
#include "tigris/Import/Onnx/TreeEnsemble.h"

#include <numeric>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// The operand as float32 of shape [batch, features].
Expected<TensorId> features(NodeContext& node, Chain& chain) {
  if (Status status = node.requireInputs(1); !status)
    return status.takeError();
  TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  if (shape.rank() != 1 && shape.rank() != 2)
    return node.refuse(DiagId::BadShape, "its operand has shape ", shape.str(),
                       ", expected [batch, features]");
  if (node.tensor(x).type != DType::Float32)
    x = chain.op("real", OpKind::Cast, {x}, {{"to", std::string(dtypeName(DType::Float32))}});
  if (shape.rank() == 1)
    x = chain.reshape("row", x, {1, shape[0]});
  if (chain.failed())
    return chain.status().error();
  return x;
}

/// A list with one number for all features or one for each.
Expected<TensorId> perFeature(NodeContext& node, const char* name, int64_t count) {
  const std::vector<float> values = floatList(node, name);
  if (values.size() != 1 && static_cast<int64_t>(values.size()) != count)
    return node.refuse(DiagId::BadAttr, "attribute '", name, "' has ", values.size(),
                       " numbers, expected 1 or ", count);
  return node.constant(name, DType::Float32, {static_cast<int64_t>(values.size())},
                       makeBlobOf(values));
}

/// (x - offset) * scale
Status scaler(NodeContext& node) {
  Chain chain(node);
  const Expected<TensorId> x = features(node, chain);
  if (!x)
    return x.error();
  const int64_t count = node.tensor(*x).shape[1];
  const Expected<TensorId> offset = perFeature(node, "offset", count);
  const Expected<TensorId> scale = perFeature(node, "scale", count);
  if (!offset || !scale)
    return !offset ? offset.error() : scale.error();
  return chain.finish(OpKind::Mul, {chain.op("centered", OpKind::Sub, {*x, *offset}), *scale});
}

/// 1 where x is above the threshold.
Status binarizer(NodeContext& node) {
  Chain chain(node);
  const Expected<TensorId> x = features(node, chain);
  const Expected<double> threshold = node.floatAttr("threshold", 0);
  if (!x || !threshold)
    return !x ? x.error() : threshold.error();
  const TensorId limit = node.scalar("threshold", static_cast<float>(*threshold));
  return chain.finish(OpKind::Cast, {chain.op("above", OpKind::Greater, {*x, limit})},
                      {{"to", std::string(dtypeName(DType::Float32))}});
}

/// Divides each row by its norm, unless that is 0.
Status normalizer(NodeContext& node) {
  Chain chain(node);
  const Expected<TensorId> x = features(node, chain);
  const Expected<std::string> norm = node.stringAttr("norm", "MAX");
  if (!x || !norm)
    return !x ? x.error() : norm.error();
  OpKind kind = OpKind::ReduceMax;
  if (*norm == "L1")
    kind = OpKind::ReduceL1;
  else if (*norm == "L2")
    kind = OpKind::ReduceL2;
  else if (*norm != "MAX")
    return node.refuse(DiagId::BadAttr, "'norm' is ", *norm, ", expected MAX, L1 or L2");
  const TensorId size = chain.reduce("norm", kind, *x, {1});
  const TensorId isZero = chain.op("is_zero", OpKind::Equal, {size, node.scalar("zero", 0)});
  const TensorId divisor =
      chain.op("divisor", OpKind::Where, {isZero, node.scalar("one", 1), size});
  return chain.finish(OpKind::Div, {*x, divisor});
}

/// x W + intercepts: [batch, rows of W].
Expected<TensorId> linearScores(NodeContext& node, Chain& chain, TensorId x) {
  const std::vector<float> weights = floatList(node, "coefficients");
  std::vector<float> intercepts = floatList(node, "intercepts");
  const int64_t count = node.tensor(x).shape[1];
  const auto size = static_cast<int64_t>(weights.size());
  const int64_t rows = count == 0 ? 0 : size / count;
  if (rows == 0 || rows * count != size)
    return node.refuse(DiagId::BadAttr, "attribute 'coefficients' has ", size,
                       " numbers, expected a multiple of ", count);
  if (intercepts.empty())
    intercepts.resize(static_cast<size_t>(rows));
  if (static_cast<int64_t>(intercepts.size()) != rows)
    return node.refuse(DiagId::BadAttr, "attribute 'intercepts' has ", intercepts.size(),
                       " numbers, expected ", rows);
  return chain.op(
      "scores", OpKind::Gemm,
      {x, node.constant("coefficients", DType::Float32, {rows, count}, makeBlobOf(weights)),
       node.constant("intercepts", DType::Float32, {rows}, makeBlobOf(intercepts))},
      {{"transB", int64_t{1}}});
}

/// The function that is applied to scores; Identity if there is none.
Expected<PendingOp> transformOf(const NodeContext& node, TensorId scores) {
  const Expected<std::string> name = node.stringAttr("post_transform", "NONE");
  if (!name)
    return name.error();
  if (*name == "NONE")
    return PendingOp{OpKind::Identity, {scores}, {}};
  if (*name == "LOGISTIC")
    return PendingOp{OpKind::Sigmoid, {scores}, {}};
  if (*name == "SOFTMAX")
    return PendingOp{OpKind::Softmax, {scores}, {{"axis", int64_t{-1}}}};
  return node.unsupported("'post_transform' is ", *name,
                          "; NONE, LOGISTIC and SOFTMAX are supported");
}

Status finishTransformed(NodeContext& node, Chain& chain, TensorId scores, size_t output = 0) {
  if (chain.failed())
    return chain.status();
  Expected<PendingOp> last = transformOf(node, scores);
  if (!last)
    return last.takeError();
  return chain.finishOutput(output, last->kind, last->inputs, last->attrs);
}

Status linearRegressor(NodeContext& node) {
  Chain chain(node);
  const Expected<TensorId> x = features(node, chain);
  if (!x)
    return x.error();
  const Expected<TensorId> scores = linearScores(node, chain, *x);
  if (!scores)
    return scores.error();
  return finishTransformed(node, chain, *scores);
}

/// A classifier's results: the labels, and the scores of all classes.
class Classifier {
public:
  Classifier(NodeContext& node, Chain& chain) : node_(node), chain_(chain) {}

  Status read(const char* integers, const char* words) {
    labels_ = intList(node_, integers);
    const onnx::AttributeProto* texts = node_.findAttr(words);
    const bool areTexts = texts != nullptr && texts->strings_size() > 0;
    count_ = areTexts ? texts->strings_size() : static_cast<int64_t>(labels_.size());
    if (!areTexts)
      return {};
    labels_.resize(static_cast<size_t>(count_));
    std::iota(labels_.begin(), labels_.end(), 0);
    if (node_.outputUsed(0))
      node_.builder().warn(DiagId::UnsupportedType, "node '", node_.name(), "' (", node_.opType(),
                           "): its labels are text; the plan returns their index, from 0 to ",
                           count_ - 1);
    return {};
  }
  int64_t count() const { return count_; }

  /// One score per class.
  Status finish(TensorId scores) {
    if (node_.outputUsed(0)) {
      const TensorId best = chain_.op("best", OpKind::ArgMax, {scores},
                                      {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
      if (Status status = finishLabel(best); !status)
        return status;
    }
    return node_.outputUsed(1) ? finishTransformed(node_, chain_, scores, 1) : chain_.status();
  }

  /// One score [batch, 1]: the second class is chosen if it is above `limit`. `first` and `second`
  /// are the scores that are returned.
  Status finishBinary(TensorId score, float limit, TensorId first, TensorId second) {
    if (node_.outputUsed(0)) {
      const TensorId above =
          chain_.op("above", OpKind::Greater, {score, node_.scalar("limit", limit)});
      const TensorId index =
          chain_.op("index", OpKind::Cast, {above}, {{"to", std::string(dtypeName(DType::Int64))}});
      if (chain_.failed())
        return chain_.status();
      if (Status status =
              finishLabel(chain_.reshape("best", index, {node_.tensor(score).shape[0]}));
          !status)
        return status;
    }
    if (!node_.outputUsed(1))
      return chain_.status();
    return chain_.finishOutput(1, OpKind::Concat, {first, second}, {{"axis", int64_t{1}}});
  }

private:
  Status finishLabel(TensorId index) {
    const TensorId labels = node_.constant("labels", DType::Int64, {count_}, makeBlobOf(labels_));
    return chain_.finishOutput(0, OpKind::Gather, {labels, index}, {{"axis", int64_t{0}}});
  }

  NodeContext& node_;
  Chain& chain_;
  Ints labels_;
  int64_t count_ = 0;
};

Status linearClassifier(NodeContext& node) {
  Chain chain(node);
  Classifier classifier(node, chain);
  const Expected<TensorId> x = features(node, chain);
  if (!x)
    return x.error();
  if (Status status = classifier.read("classlabels_ints", "classlabels_strings"); !status)
    return status;
  const Expected<TensorId> scores = linearScores(node, chain, *x);
  if (!scores)
    return scores.error();
  if (chain.failed())
    return chain.status();
  const int64_t rows = node.tensor(*scores).shape[1];
  if (rows == classifier.count() && rows > 1)
    return classifier.finish(*scores);
  if (rows != 1 || classifier.count() != 2)
    return node.unsupported("it has ", rows, " rows of coefficients for ", classifier.count(),
                            " labels");
  const Expected<PendingOp> last = transformOf(node, *scores);
  if (!last)
    return last.error();
  if (last->kind == OpKind::Softmax)
    return node.unsupported("'post_transform' is SOFTMAX for one score; NONE and LOGISTIC are "
                            "supported");
  const TensorId second = chain.op("second", last->kind, last->inputs, last->attrs);
  const TensorId first = chain.op("first", OpKind::Sub, {node.scalar("one", 1), second});
  return classifier.finishBinary(*scores, 0, first, second);
}

Status treeRegressor(NodeContext& node) {
  Chain chain(node);
  const Expected<TensorId> x = features(node, chain);
  const Expected<int64_t> targets = node.intAttr("n_targets", 1);
  if (!x || !targets)
    return !x ? x.error() : targets.error();
  const Expected<TreeScores> trees = addTrees(node, chain, *x, "target", *targets, false);
  if (!trees)
    return trees.error();
  return finishTransformed(node, chain, trees->scores);
}

Status treeClassifier(NodeContext& node) {
  Chain chain(node);
  Classifier classifier(node, chain);
  const Expected<TensorId> x = features(node, chain);
  if (!x)
    return x.error();
  if (Status status = classifier.read("classlabels_int64s", "classlabels_strings"); !status)
    return status;
  const Expected<TreeScores> trees = addTrees(node, chain, *x, "class", classifier.count(), true);
  if (!trees)
    return trees.error();
  // onnxruntime has further rules for classes without weights.
  const auto used = static_cast<int64_t>(trees->targets.size());
  const bool isBinary = classifier.count() == 2 && used == 1 && trees->targets[0] == 0;
  if (!isBinary && (classifier.count() == 2 || used != classifier.count()))
    return node.unsupported(
        "its weights belong to ", used, " of ", classifier.count(),
        " classes; of two classes only the first one may have weights, of more all must");
  if (!isBinary)
    return classifier.finish(trees->scores);
  const TensorId second = trees->scores;
  if (trees->arePositive)
    return classifier.finishBinary(
        second, 0.5F, chain.op("first", OpKind::Sub, {node.scalar("one", 1), second}), second);
  const TensorId first = chain.op("first", OpKind::Neg, {second});
  const Expected<PendingOp> last = transformOf(node, second);
  if (!last)
    return last.error();
  if (last->kind == OpKind::Softmax)
    return node.unsupported("'post_transform' is SOFTMAX for one score; NONE and LOGISTIC are "
                            "supported");
  return classifier.finishBinary(second, 0, chain.op("first_score", last->kind, {first}),
                                 chain.op("second_score", last->kind, {second}));
}

/// Columns of the last axis.
Status arrayFeatureExtractor(NodeContext& node) {
  if (Status status = node.requireInputs(2); !status)
    return status;
  Chain chain(node);
  TensorId x = node.input(0);
  const Shape shape = node.tensor(x).shape;
  if (shape.rank() == 1)
    x = chain.reshape("row", x, {1, shape[0]});
  const TensorId columns =
      chain.reshape("columns", node.input(1), {node.tensor(node.input(1)).elements()});
  return chain.finish(OpKind::Gather, {x, columns}, {{"axis", int64_t{-1}}});
}

/// The probabilities by label; a plan returns them as they are, in the order of the labels.
Status zipMap(NodeContext& node) {
  if (Status status = node.requireInputs(1); !status)
    return status;
  node.builder().warn(DiagId::UnsupportedType, "node '", node.name(),
                      "' (ZipMap): its result is a map; the plan returns the tensor '",
                      node.tensor(node.input(0)).name, "', in the order of the labels");
  return node.finish(OpKind::Identity, {node.input(0)});
}

} // namespace

const RuleTable& learnRules() {
  static const RuleTable Rules = {
      {"ArrayFeatureExtractor", arrayFeatureExtractor},
      {"Binarizer", binarizer},
      {"LinearClassifier", linearClassifier},
      {"LinearRegressor", linearRegressor},
      {"Normalizer", normalizer},
      {"Scaler", scaler},
      {"TreeEnsembleClassifier", treeClassifier},
      {"TreeEnsembleRegressor", treeRegressor},
      {"ZipMap", zipMap},
  };
  return Rules;
}

} // namespace tigris
