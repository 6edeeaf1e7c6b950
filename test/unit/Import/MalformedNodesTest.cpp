// Malformed nodes are rejected with their name or imported; they never cause an internal error.
#include "ImportTesting.h"
#include "tigris/IR/Op.h"
#include "tigris/Import/Onnx/OperatorList.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

/// Inputs of the models below; those beginning with 'k' are constants.
const char* const Header = "g (float[1,4,4,4] x, int64[2] i, bool[1,4,4,4] b, int8[1,4] q) => (y) "
                           "<int64[1] k1 = {1}, int64[2] k2 = {0, 1}, float[1] kf = {0.5}> ";

/// A model with one node 'n'.
onnx::ModelProto nodeModel(const std::string& opType, const std::vector<std::string>& inputs) {
  static const onnx::ModelProto Base = parseOnnxGraph(std::string(Header) + "{ y = Identity(x) }");
  onnx::ModelProto model = Base;
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
  const size_t domain = opType.find("::");
  node.set_op_type(domain == std::string::npos ? opType : opType.substr(domain + 2));
  if (domain != std::string::npos)
    node.set_domain(opType.substr(0, domain));
  node.set_name("n");
  node.clear_input();
  for (const std::string& input : inputs)
    node.add_input(input);
  return model;
}

onnx::AttributeProto& addAttr(onnx::ModelProto& model, const std::string& name, AttrKind kind) {
  onnx::AttributeProto& attr = *model.mutable_graph()->mutable_node(0)->add_attribute();
  attr.set_name(name);
  switch (kind) {
  case AttrKind::Int:
    attr.set_type(onnx::AttributeProto::INT);
    attr.set_i(1);
    break;
  case AttrKind::Float:
    attr.set_type(onnx::AttributeProto::FLOAT);
    attr.set_f(0.5F);
    break;
  case AttrKind::String:
    attr.set_type(onnx::AttributeProto::STRING);
    attr.set_s("x");
    break;
  case AttrKind::Floats:
    attr.set_type(onnx::AttributeProto::FLOATS);
    attr.add_floats(0.5F);
    break;
  default:
    attr.set_type(onnx::AttributeProto::INTS);
    attr.add_ints(1);
  }
  return attr;
}

/// Rejected with the node's name, or imported.
void checkClean(const onnx::ModelProto& model) {
  CAPTURE(model.graph().node(0).ShortDebugString());
  Imported imported;
  CHECK_NOTHROW(imported = importModel(model));
  if (imported.error)
    CHECK(imported.error->message().find("'n") != std::string::npos);
}

std::vector<std::string> attributesOf(const std::string& opType) {
  std::vector<std::string> names = {"axis", "axes", "mode", "bogus"};
  if (const std::optional<OpKind> kind = parseOpKind(opType)) {
    for (const AttrInfo& attr : opInfo(*kind).attributes)
      names.push_back(attr.name);
    for (const OperandInfo& operand : opInfo(*kind).operands)
      names.emplace_back(operand.name);
  }
  return names;
}

} // namespace

TEST_CASE("a compile-time operand that is an attribute, too, is refused") {
  size_t tried = 0;
  for (const OpKind kind : allOpKinds()) {
    const OpInfo& info = opInfo(kind);
    for (size_t i = 0; i < info.operands.size() && !isInternalKind(kind); ++i) {
      const AttrInfo* attr = info.attribute(info.operands[i].name);
      if (!info.operands[i].compileTime || attr == nullptr)
        continue;
      const bool integers = attr->kind == AttrKind::Int || attr->kind == AttrKind::Ints;
      std::vector<std::string> inputs(i + 1);
      inputs[0] = "x";
      inputs[i] = integers ? "k1" : "kf";
      onnx::ModelProto model = nodeModel(std::string(info.name), inputs);
      addAttr(model, attr->name, attr->kind);
      checkClean(model);
      // The region of a Resize matters in one mode only.
      if (attr->name != "roi")
        CHECK_MESSAGE(!importModel(model).graph, info.name, " with ", attr->name, " twice");
      ++tried;
    }
  }
  CHECK(tried > 20);
}

TEST_CASE("the message names node, operator and what is given twice") {
  const Imported both = importGraph("g (float[1,4] x) => (y) <int64[1] k = {0}> "
                                    "{ [n] y = Squeeze <axes = [0]> (x, k) }");
  CHECK(both.said(DiagId::BadAttr, "'n' (Squeeze): 'axes' is given as operand and as attribute"));
}

TEST_CASE("quantizing without a scale is refused") {
  for (const char* const kind : {"QuantizeLinear", "DequantizeLinear"})
    for (const char* const inputs : {"(x)", "(x, \"\", x)"}) {
      const Imported bare =
          importGraph(std::string("g (int8[1,4] x) => (y) { [n] y = ") + kind + inputs + " }");
      CHECK(
          bare.said(DiagId::BadArity, std::string("node 'n' (") + kind + "): input 1 is missing"));
    }
}

TEST_CASE("too few, too many and wrong operands are refused or imported") {
  const std::vector<std::string> kinds = {"x", "k1", "i", "b", "q", "kf", ""};
  for (const std::string& opType : importedOperators())
    for (const std::string& first : kinds)
      for (const std::string rest : {"x", "k1", "i", ""})
        for (size_t count = 0; count <= 4; ++count) {
          std::vector<std::string> inputs(count, rest);
          if (count > 0)
            inputs[0] = first;
          checkClean(nodeModel(opType, inputs));
        }
}

TEST_CASE("attributes of any name and kind are refused or imported") {
  for (const std::string& opType : importedOperators())
    for (const std::string& name : attributesOf(opType))
      for (const AttrKind kind :
           {AttrKind::Int, AttrKind::Float, AttrKind::String, AttrKind::Ints, AttrKind::Floats})
        for (const size_t count : {1, 2, 3}) {
          std::vector<std::string> inputs(count, "k1");
          inputs[0] = "x";
          onnx::ModelProto model = nodeModel(opType, inputs);
          addAttr(model, name, kind);
          checkClean(model);
        }
}

TEST_CASE("an output that the operator does not have is refused") {
  for (const char* const op : {"RNN", "GRU", "TopK", "MaxPool", "Relu"}) {
    CAPTURE(op);
    onnx::ModelProto model = nodeModel(op, {"x"});
    onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
    const bool recurrent = node.op_type() == "RNN" || node.op_type() == "GRU";
    if (recurrent) {
      const int64_t gates = node.op_type() == "RNN" ? 1 : 3;
      onnx::TypeProto& type = *model.mutable_graph()->mutable_input(0)->mutable_type();
      auto& dims = *type.mutable_tensor_type()->mutable_shape()->mutable_dim();
      dims.DeleteSubrange(3, 1);
      addWeights(model, "W", {1, gates, 4});
      addWeights(model, "R", {1, gates, 1});
      node.add_input("W");
      node.add_input("R");
    }
    for (const char* const name : {"y1", "y2", "y3"}) {
      node.add_output(name);
      model.mutable_graph()->add_output()->set_name(name);
    }
    checkClean(model);
    CHECK(!importModel(model).graph);
  }
}

TEST_CASE("tables of the compiler's own making are bounded") {
  const std::pair<const char*, const char*> cases[] = {
      {"OneHot", "g (int64[1] x) => (y) <int64 d = {268435456}, float[2] v = {0, 1}> "
                 "{ [n] y = OneHot(x, d, v) }"},
      {"EyeLike", "g (float[16384,16384] x) => (y) { [n] y = EyeLike(x) }"},
      {"Trilu", "g (float[16384,16384] x) => (y) { [n] y = Trilu(x) }"},
      {"Hardmax", "g (float[268435456] x) => (y) { [n] y = Hardmax(x) }"},
      {"Pad", "g (float[2] x) => (y) <int64[2] p = {0, 268435456}> "
              "{ [n] y = Pad <mode = \"wrap\"> (x, p) }"}};
  for (const auto& [op, text] : cases) {
    const Imported giant = importGraph(text, 19);
    CHECK(giant.said(DiagId::UnsupportedOp,
                     std::string("node 'n' (") + op + "): it needs a table of shape"));
  }
}

TEST_CASE("more inputs and outputs than a plan has tensors are refused at once") {
  onnx::ModelProto model = nodeModel("Relu", {"x"});
  for (int i = 0; i < 70000; ++i)
    model.mutable_graph()->add_output()->set_name("y");
  CHECK(importModel(model).said(DiagId::UnsupportedOp,
                                "inputs and outputs, a plan supports at most"));
}

TEST_CASE("a constant without elements may have any dimensions that multiply") {
  const Imported fine =
      importGraph("g (float[2,4] x) => (y) <float[0,4] w = {}> { y = Concat<axis=0>(w, x) }");
  CHECK(fine.tensor("y").shape == Shape{2, 4});
  const Imported absurd = importGraph(
      "g (float[2] x) => (y) <float[0,1099511627776,1099511627776] w = {}> { y = Relu(w) }");
  CHECK(absurd.said(DiagId::BadModel, "impossible shape"));
}
