// Numbers the nodes of all trees in the order of the file; tables are indexed by that number.
#include "tigris/Import/Onnx/TreeEnsemble.h"

#include <algorithm>
#include <map>
#include <set>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

/// Limits the ops: there are about seven per level.
constexpr int64_t MaxTreeDepth = 64;

/// The nodes of all trees, by number.
struct Trees {
  Ints features;
  std::vector<float> thresholds;
  Ints yes;
  Ints no;
  /// Where NaN goes to `yes`.
  Ints missing;
  std::string mode;
  Ints roots;
  int64_t depth = 0;
  std::map<std::pair<int64_t, int64_t>, int64_t> numberOf;

  size_t size() const { return features.size(); }
};

Ints integersOf(const NodeContext& node, std::string_view name, size_t count, Status& status) {
  Ints values = intList(node, name);
  if (values.size() != count && status)
    status = node.refuse(DiagId::BadAttr, "attribute '", name, "' has ", values.size(),
                         " numbers, expected ", count);
  return values;
}

/// The comparison of all inner nodes. Leaves get threshold and feature 0.
Status readModes(const NodeContext& node, Trees& trees, std::vector<bool>& isLeaf) {
  const onnx::AttributeProto* modes = node.findAttr("nodes_modes");
  if (modes == nullptr || static_cast<size_t>(modes->strings_size()) != trees.size())
    return node.refuse(DiagId::BadAttr, "attribute 'nodes_modes' must have ", trees.size(),
                       " words");
  for (const std::string& mode : modes->strings()) {
    isLeaf.push_back(mode == "LEAF");
    if (isLeaf.back() || mode == trees.mode)
      continue;
    if (!trees.mode.empty())
      return node.unsupported("its nodes compare in several ways, ", trees.mode, " and ", mode,
                              "; one is supported");
    trees.mode = mode;
  }
  return {};
}

/// The depth below every root; fails if a node is its own ancestor.
Status measure(const NodeContext& node, Trees& trees) {
  std::vector<std::pair<int64_t, int64_t>> open;
  for (const int64_t root : trees.roots)
    open.emplace_back(root, 0);
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    const auto index = static_cast<size_t>(at);
    trees.depth = std::max(trees.depth, depth);
    if (depth > MaxTreeDepth)
      return node.unsupported("its trees are deeper than ", MaxTreeDepth, " levels");
    if (trees.yes[index] == at)
      continue;
    open.emplace_back(trees.yes[index], depth + 1);
    open.emplace_back(trees.no[index], depth + 1);
  }
  return {};
}

/// Replaces node ids by numbers, and finds the roots: nodes that are nobody's child.
Status linkNodes(const NodeContext& node, Trees& trees, const Ints& treeIds, const Ints& nodeIds,
                 const std::vector<bool>& isLeaf) {
  for (size_t i = 0; i < trees.size(); ++i)
    if (!trees.numberOf.emplace(std::pair(treeIds[i], nodeIds[i]), static_cast<int64_t>(i)).second)
      return node.refuse(DiagId::BadAttr, "tree ", treeIds[i], " has two nodes ", nodeIds[i]);
  std::set<int64_t> children;
  for (size_t i = 0; i < trees.size(); ++i)
    for (Ints* links : {&trees.yes, &trees.no}) {
      int64_t& link = (*links)[i];
      const auto found = trees.numberOf.find({treeIds[i], link});
      if (!isLeaf[i] && (found == trees.numberOf.end() || !children.insert(found->second).second))
        return node.refuse(DiagId::BadAttr, "node ", nodeIds[i], " of tree ", treeIds[i],
                           " leads to ", link, ", which is no node of its own");
      link = isLeaf[i] ? static_cast<int64_t>(i) : found->second;
    }
  for (size_t i = 0; i < trees.size(); ++i)
    if (children.count(static_cast<int64_t>(i)) == 0)
      trees.roots.push_back(static_cast<int64_t>(i));
  const std::set<int64_t> distinct(treeIds.begin(), treeIds.end());
  if (trees.roots.empty() || trees.roots.size() != distinct.size())
    return node.refuse(DiagId::BadAttr, "its ", distinct.size(), " trees have ", trees.roots.size(),
                       " roots");
  return measure(node, trees);
}

Expected<Trees> readTrees(const NodeContext& node, int64_t features) {
  Trees trees;
  const Ints nodeIds = intList(node, "nodes_nodeids");
  Status status;
  const Ints treeIds = integersOf(node, "nodes_treeids", nodeIds.size(), status);
  trees.features = integersOf(node, "nodes_featureids", nodeIds.size(), status);
  trees.yes = integersOf(node, "nodes_truenodeids", nodeIds.size(), status);
  trees.no = integersOf(node, "nodes_falsenodeids", nodeIds.size(), status);
  trees.thresholds = floatList(node, "nodes_values");
  trees.missing = intList(node, "nodes_missing_value_tracks_true");
  if (!status)
    return status.takeError();
  if (trees.thresholds.size() != nodeIds.size() ||
      (!trees.missing.empty() && trees.missing.size() != nodeIds.size()))
    return node.refuse(DiagId::BadAttr, "has ", nodeIds.size(), " nodes and ",
                       trees.thresholds.size(), " thresholds");
  std::vector<bool> isLeaf;
  status = readModes(node, trees, isLeaf);
  if (status)
    status = linkNodes(node, trees, treeIds, nodeIds, isLeaf);
  if (!status)
    return status.takeError();
  for (size_t i = 0; i < trees.size(); ++i) {
    if (isLeaf[i])
      trees.features[i] = 0;
    if (trees.features[i] < 0 || trees.features[i] >= features)
      return node.refuse(DiagId::BadAttr, "node ", nodeIds[i], " of tree ", treeIds[i],
                         " compares feature ", trees.features[i], " of ", features);
  }
  if (trees.mode == "BRANCH_NEQ") {
    trees.mode = "BRANCH_EQ";
    trees.yes.swap(trees.no);
    trees.missing.clear(); // NaN is equal to nothing, so it already takes the right branch
  }
  return trees;
}

std::optional<OpKind> comparison(const std::string& mode) {
  static const std::map<std::string_view, OpKind> Kinds = {{"BRANCH_LEQ", OpKind::LessOrEqual},
                                                           {"BRANCH_LT", OpKind::Less},
                                                           {"BRANCH_GTE", OpKind::GreaterOrEqual},
                                                           {"BRANCH_GT", OpKind::Greater},
                                                           {"BRANCH_EQ", OpKind::Equal}};
  const auto found = Kinds.find(mode);
  return found == Kinds.end() ? std::nullopt : std::optional(found->second);
}

/// The tables as constants.
struct Tables {
  TensorId features;
  TensorId thresholds;
  TensorId yes;
  TensorId no;
  /// Invalid if NaN always goes to `no`, as a comparison does by itself.
  TensorId missing;
};

Tables makeTables(NodeContext& node, const Trees& trees) {
  const Shape shape = {static_cast<int64_t>(trees.size())};
  const auto table = [&](std::string_view suffix, const Ints& values) {
    return node.constant(suffix, DType::Int64, shape, makeBlobOf(values));
  };
  Tables tables = {table("features", trees.features),
                   node.constant("thresholds", DType::Float32, shape, makeBlobOf(trees.thresholds)),
                   table("yes", trees.yes), table("no", trees.no), TensorId()};
  if (std::any_of(trees.missing.begin(), trees.missing.end(), [](int64_t m) { return m != 0; })) {
    std::vector<uint8_t> missing;
    for (const int64_t one : trees.missing)
      missing.push_back(one != 0 ? 1 : 0);
    tables.missing = node.constant("missing", DType::Bool, shape, makeBlob(std::move(missing)));
  }
  return tables;
}

/// One level: from the nodes `at` to their children.
TensorId descend(Chain& chain, TensorId x, const Tables& tables, OpKind compare, TensorId at) {
  const auto look = [&](std::string_view suffix, TensorId table) {
    return chain.op(suffix, OpKind::Gather, {table, at}, {{"axis", int64_t{0}}});
  };
  const TensorId value = chain.op("value", OpKind::GatherElements,
                                  {x, look("feature", tables.features)}, {{"axis", int64_t{1}}});
  TensorId holds = chain.op("holds", compare, {value, look("threshold", tables.thresholds)});
  if (tables.missing) {
    const TensorId isNan =
        chain.op("is_nan", OpKind::Not, {chain.op("is", OpKind::Equal, {value, value})});
    holds = chain.op(
        "or_missing", OpKind::Or,
        {holds, chain.op("tracked", OpKind::And, {isNan, look("tracks", tables.missing)})});
  }
  return chain.op("next", OpKind::Where, {holds, look("yes", tables.yes), look("no", tables.no)});
}

/// Weights of all nodes: [nodes, targets].
Expected<std::vector<float>> readWeights(const NodeContext& node, const Trees& trees,
                                         std::string_view prefix, int64_t& targets,
                                         bool joinsTargets, TreeScores& result) {
  const std::vector<float> weights = floatList(node, strCat(prefix, "_weights"));
  Status status;
  const Ints treeIds = integersOf(node, strCat(prefix, "_treeids"), weights.size(), status);
  const Ints nodeIds = integersOf(node, strCat(prefix, "_nodeids"), weights.size(), status);
  const Ints ids = integersOf(node, strCat(prefix, "_ids"), weights.size(), status);
  if (!status)
    return status.takeError();
  const std::set<int64_t> used(ids.begin(), ids.end());
  result.targets.assign(used.begin(), used.end());
  if (used.empty() || *used.begin() < 0 || *used.rbegin() >= targets)
    return node.refuse(DiagId::BadAttr, "attribute '", prefix, "_ids' has numbers outside of 0..",
                       targets - 1);
  result.arePositive =
      std::all_of(weights.begin(), weights.end(), [](float weight) { return weight >= 0; });
  const bool joined = joinsTargets && targets == 2 && used.size() == 1;
  if (joined)
    targets = 1;
  if (Status limit = node.limitTable({static_cast<int64_t>(trees.size()), targets}, DType::Float32);
      !limit)
    return limit.takeError();
  std::vector<float> table(trees.size() * static_cast<size_t>(targets));
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto found = trees.numberOf.find({treeIds[i], nodeIds[i]});
    if (found == trees.numberOf.end())
      return node.refuse(DiagId::BadAttr, "tree ", treeIds[i], " has no node ", nodeIds[i]);
    table[static_cast<size_t>(found->second * targets + (joined ? 0 : ids[i]))] += weights[i];
  }
  return table;
}

} // namespace

std::vector<int64_t> intList(const NodeContext& node, std::string_view name) {
  const onnx::AttributeProto* given = node.findAttr(name);
  return given == nullptr ? Ints() : Ints(given->ints().begin(), given->ints().end());
}

std::vector<float> floatList(const NodeContext& node, std::string_view name) {
  const onnx::AttributeProto* given = node.findAttr(name);
  return given == nullptr ? std::vector<float>()
                          : std::vector<float>(given->floats().begin(), given->floats().end());
}

Expected<TreeScores> addTrees(NodeContext& node, Chain& chain, TensorId x, std::string_view prefix,
                              int64_t targets, bool joinsTargets) {
  const Shape shape = node.tensor(x).shape;
  const Expected<Trees> trees = readTrees(node, shape[1]);
  if (!trees)
    return trees.error();
  TreeScores result;
  const Expected<std::vector<float>> weights =
      readWeights(node, *trees, prefix, targets, joinsTargets, result);
  if (!weights)
    return weights.error();
  const std::optional<OpKind> compare = comparison(trees->mode);
  if (!compare && trees->depth > 0)
    return node.unsupported("its nodes compare with ", trees->mode);
  const Tables tables = makeTables(node, *trees);
  Ints roots;
  for (int64_t row = 0; row < shape[0]; ++row)
    roots.insert(roots.end(), trees->roots.begin(), trees->roots.end());
  TensorId at =
      node.constant("roots", DType::Int64, {shape[0], static_cast<int64_t>(trees->roots.size())},
                    makeBlobOf(roots));
  for (int64_t level = 0; level < trees->depth; ++level)
    at = descend(chain, x, tables, *compare, at);
  const TensorId table =
      node.constant("weights", DType::Float32, {static_cast<int64_t>(trees->size()), targets},
                    makeBlobOf(*weights));
  const TensorId leaves = chain.op("leaves", OpKind::Gather, {table, at}, {{"axis", int64_t{0}}});
  result.scores =
      chain.op("sum", OpKind::ReduceSum, {leaves}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}});
  const Expected<std::string> aggregate = node.stringAttr("aggregate_function", "SUM");
  if (!aggregate)
    return aggregate.error();
  if (*aggregate == "AVERAGE")
    result.scores = chain.op(
        "average", OpKind::Mul,
        {result.scores, node.scalar("share", 1.0F / static_cast<float>(trees->roots.size()))});
  else if (*aggregate != "SUM")
    return node.unsupported("'aggregate_function' is ", *aggregate,
                            "; SUM and AVERAGE are supported");
  const std::vector<float> base = floatList(node, "base_values");
  if (!base.empty() && static_cast<int64_t>(base.size()) != targets)
    return node.refuse(DiagId::BadAttr, "attribute 'base_values' has ", base.size(),
                       " numbers, expected ", targets);
  if (!base.empty())
    result.scores = chain.op(
        "based", OpKind::Add,
        {result.scores, node.constant("base", DType::Float32, {targets}, makeBlobOf(base))});
  if (chain.failed())
    return chain.status().error();
  return result;
}

} // namespace tigris
