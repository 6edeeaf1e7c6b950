// Lowers Einsum with one or two operands to Transpose, Reshape and MatMul.
//
//   bhqd,bhkd->bhqk     batch labels b h, summed label d, row label q, column label k
//     becomes           MatMul(x, Transpose(y, [0,1,3,2]))
#include "tigris/Import/Onnx/Chain.h"
#include "tigris/Import/Onnx/OnnxOps.h"

#include <algorithm>
#include <map>

namespace tigris {

namespace {

using Ints = std::vector<int64_t>;

bool contains(const std::string& text, char label) { return text.find(label) != std::string::npos; }

/// The parts of an equation such as "bij,bjk->bik"; the result's labels are explicit.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Expected<Equation> parseEquation(const NodeContext& node) {
  Expected<std::string> given = node.stringAttr("equation", "");
  if (!given)
    return given.takeError();
  std::string text = *given;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (contains(text, '.'))
    return node.unsupported("equation '", *given, "' has an ellipsis; write its axes out");
  Equation equation;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  for (const std::string_view operand : split(left, ','))
    equation.operands.emplace_back(operand);
  if (equation.operands.size() != node.inputCount())
    return node.refuse(DiagId::BadAttr, "equation '", *given, "' is for ", equation.operands.size(),
                       " operands, but there are ", node.inputCount());
  if (equation.operands.size() > 2)
    return node.unsupported("equation '", *given, "' has ", equation.operands.size(),
                            " operands, at most 2 are supported");
  std::map<char, int> uses;
  for (const std::string& operand : equation.operands)
    for (const char label : operand)
      ++uses[label];
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
  } else { // implicit: labels that occur once, in alphabetical order
    for (const auto& [label, count] : uses)
      if (count == 1)
        equation.result += label;
  }
  for (size_t i = 0; i < equation.operands.size(); ++i) {
    const std::string& labels = equation.operands[i];
    if (!node.input(i) || node.tensor(node.input(i)).shape.rank() != labels.size())
      return node.refuse(DiagId::BadAttr, "equation '", *given, "' specifies ", labels.size(),
                         " axes for operand ", i);
    for (const char label : labels)
      if (std::count(labels.begin(), labels.end(), label) > 1)
        return node.unsupported("equation '", *given, "' repeats '", std::string(1, label),
                                "' in one operand; diagonals are not supported");
  }
  for (const char label : equation.result)
    if (uses[label] == 0 || std::count(equation.result.begin(), equation.result.end(), label) > 1)
      return node.refuse(DiagId::BadAttr, "equation '", *given, "' has no single source for '",
                         std::string(1, label), "'");
  return equation;
}

/// A tensor and the labels of its axes.
struct Labeled {
  TensorId id;
  std::string labels;
};

class Einsum {
public:
  Einsum(NodeContext& node, Equation equation)
      : node_(node), chain_(node), equation_(std::move(equation)) {}

  Status import() {
    if (Status status = findSizes(); !status)
      return status;
    Labeled a = summed(0);
    if (equation_.operands.size() == 1)
      return finish(a);
    Labeled b = summed(1);
    std::string batch;
    std::string rows;
    std::string inner;
    std::string columns;
    for (const char label : a.labels)
      (!contains(b.labels, label)          ? rows
       : contains(equation_.result, label) ? batch
                                           : inner) += label;
    for (const char label : b.labels)
      if (!contains(a.labels, label))
        columns += label;
    const TensorId left = arranged(a, batch + rows + inner, batch, rows, inner);
    const TensorId right = arranged(b, batch + inner + columns, batch, inner, columns);
    const TensorId product = chain_.op("product", OpKind::MatMul, {left, right});
    const std::string labels = batch + rows + columns;
    return finish({chain_.reshape("axes", product, shapeOf(labels)), labels});
  }

private:
  Status findSizes() {
    for (size_t i = 0; i < equation_.operands.size(); ++i) {
      const Shape& shape = node_.tensor(node_.input(i)).shape;
      for (size_t axis = 0; axis < shape.rank(); ++axis) {
        const auto [at, isNew] = sizes_.emplace(equation_.operands[i][axis], shape[axis]);
        if (!isNew && at->second != shape[axis])
          return node_.unsupported("axis '", std::string(1, at->first), "' has ", at->second,
                                   " elements in one operand and ", shape[axis], " in the other");
      }
    }
    return {};
  }

  Shape shapeOf(const std::string& labels) const {
    Ints dims;
    for (const char label : labels)
      dims.push_back(sizes_.at(label));
    return Shape(std::move(dims));
  }

  /// Sums over the axes that occur nowhere else.
  Labeled summed(size_t index) {
    const std::string& labels = equation_.operands[index];
    const std::string other = equation_.operands.size() > 1 ? equation_.operands[1 - index] : "";
    Labeled result{node_.input(index), {}};
    Ints axes;
    for (size_t axis = 0; axis < labels.size(); ++axis)
      if (contains(other, labels[axis]) || contains(equation_.result, labels[axis]))
        result.labels += labels[axis];
      else
        axes.push_back(static_cast<int64_t>(axis));
    if (!axes.empty())
      result.id = chain_.op("summed", OpKind::ReduceSum, {result.id},
                            {{"axes", axes}, {"keepdims", int64_t{0}}});
    return result;
  }

  TensorId ordered(const Labeled& x, const std::string& order) {
    Ints perm;
    for (const char label : order)
      perm.push_back(static_cast<int64_t>(x.labels.find(label)));
    if (std::is_sorted(perm.begin(), perm.end()))
      return x.id;
    return chain_.transpose("ordered", x.id, perm);
  }

  /// The operand as [batch..., rows, columns]; rows and columns each combine any number of axes.
  TensorId arranged(const Labeled& x, const std::string& order, const std::string& batch,
                    const std::string& rows, const std::string& columns) {
    Ints dims = shapeOf(batch).dims();
    dims.push_back(shapeOf(rows).elements());
    dims.push_back(shapeOf(columns).elements());
    return chain_.reshape("matrix", ordered(x, order), Shape(std::move(dims)));
  }

  Status finish(const Labeled& x) {
    return chain_.finish(OpKind::Identity, {ordered(x, equation_.result)});
  }

  NodeContext& node_;
  Chain chain_;
  Equation equation_;
  std::map<char, int64_t> sizes_;
};

} // namespace

Status importEinsum(NodeContext& node) {
  Expected<Equation> equation = parseEquation(node);
  if (!equation)
    return equation.takeError();
  return Einsum(node, std::move(*equation)).import();
}

} // namespace tigris
