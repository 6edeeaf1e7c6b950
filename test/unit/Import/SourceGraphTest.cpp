// Names, order and bodies: which nodes are imported, in which order, and with which names.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

TEST_CASE("nameless nodes are numbered by operator in file order") {
  const Imported imported = importGraph("g (float[2] x) => (float[2] y) "
                                        "{ a = Relu(x) b = Relu(a) c = Abs(b) y = Relu(c) }");
  CHECK(imported.names() == "Relu_0 Relu_1 Abs_0 Relu_2");
  CHECK(imported.only(OpKind::Abs).origin == std::vector<std::string>{"Abs_0"});
}

TEST_CASE("repeated node names get a number and tensors keep theirs") {
  onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] y) "
                                          "{ a = Relu(x) b = Relu(a) y = Relu(b) }");
  model.mutable_graph()->mutable_node(0)->set_name("act");
  model.mutable_graph()->mutable_node(1)->set_name("act");
  model.mutable_graph()->mutable_node(2)->set_name("a");
  const Imported imported = importModel(model);
  CHECK(imported.names() == "act act_1 a");
  CHECK(imported.tensor("a").shape == Shape{2});
  CHECK(imported.tensor("b").shape == Shape{2});
}

TEST_CASE("the order is depth-first from the outputs and the last input goes first") {
  const Imported imported =
      importGraph("g (float[2] x) => (float[2] y, float[2] z) "
                  "{ a = Relu(x) b = Abs(x) c = Neg(a) y = Add(c, b) z = Sigmoid(b) }");
  CHECK(imported.kinds() == "Abs Relu Neg Add Sigmoid");
}

TEST_CASE("nodes in any order are imported and dead ones are not") {
  const Imported imported = importGraph(
      "g (float[2] x) => (float[2] y) { y = Neg(a) dead = Loop(x) a = Relu(x) dead2 = Abs(a) }");
  CHECK(imported.kinds() == "Relu Neg");
  CHECK_FALSE(imported.graph->findTensor("dead2"));
}

TEST_CASE("a chain of many nodes does not exhaust the stack") {
  onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] t20000) { t0 = Relu(x) }");
  for (int i = 0; i < 20000; ++i) {
    onnx::NodeProto& node = *model.mutable_graph()->add_node();
    node.set_op_type("Relu");
    node.add_input(strCat("t", i));
    node.add_output(strCat("t", i + 1));
  }
  const Imported imported = importModel(model);
  REQUIRE(imported.graph);
  CHECK(imported.graph->order().size() == 20001);
}

TEST_CASE("names that nothing defines and values that depend on themselves") {
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Add(x, ghost) }")
            .said(DiagId::BadModel, "node 'Add_0' (Add) reads 'ghost', which nothing defines"));
  CHECK(importGraph("g (float[2] x) => (float[2] y, float[2] lost) { y = Relu(x) }")
            .said(DiagId::BadModel, "the model reads 'lost'"));
  CHECK(importGraph("g (float[2] x) => (float[2] y) { a = Add(x, y) y = Relu(a) }")
            .said(DiagId::BadModel, "node 'Add_0' (Add) depends on itself: 'Add_0' (Add) -> "
                                    "'Relu_0' (Relu) -> 'Add_0' (Add)"));
}

TEST_CASE("a cycle is reported in the order of the file, wherever it is entered, and no other") {
  // 'dead' and 'dead2' depend on each other, but no output needs them.
  CHECK(importGraph("g (float[2] x) => (float[2] y) { dead = Relu(dead2) dead2 = Relu(dead) "
                    "y = Abs(c) a = Add(x, c) b = Neg(a) c = Exp(b) }")
            .said(DiagId::BadModel, "node 'Add_0' (Add) depends on itself: 'Add_0' (Add) -> "
                                    "'Neg_0' (Neg) -> 'Exp_0' (Exp) -> 'Add_0' (Add)"));
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Add(x, y) }")
            .said(DiagId::BadModel,
                  "node 'Add_0' (Add) depends on itself: 'Add_0' (Add) -> 'Add_0' (Add)"));
}

TEST_CASE("inputs and initializers need names") {
  onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  addWeights(model, "", {2});
  CHECK(importModel(model).said(DiagId::BadModel, "an initializer has no name"));
  model.mutable_graph()->clear_initializer();
  model.mutable_graph()->mutable_input(0)->clear_name();
  CHECK(importModel(model).said(DiagId::BadModel, "an input has no name"));
}

TEST_CASE("two definitions of one name") {
  CHECK(importGraph("g (float[2] x) => (float[2] y) { y = Relu(x) y = Abs(x) }")
            .said(DiagId::DuplicateName,
                  "node 'Abs_0' defines 'y', which is the output of node 'Relu_0' already"));
  CHECK(importGraph("g (float[2] x) => (float[2] y) { x = Relu(x) y = Abs(x) }")
            .said(DiagId::DuplicateName, "which is an input already"));
  CHECK(importGraph("g (float[2] x, float[2] x) => (float[2] y) { y = Abs(x) }")
            .said(DiagId::DuplicateName, "two inputs 'x'"));
  onnx::ModelProto model = parseOnnxGraph("g (float[2] x) => (float[2] y) { y = Add(x, w) }");
  addWeights(model, "w", {2});
  addWeights(model, "w", {2});
  CHECK(importModel(model).said(DiagId::DuplicateName, "which is an initializer already"));
}

TEST_CASE("an If with a static condition becomes its branch") {
  const std::string text = R"(g (float[1,4] x) => (float[1,4] y) {
    s = Shape(x)  zero = Constant<value = int64[1] {0}>()  one = Constant<value = int64[1] {1}>()
    d = Gather(s, zero)  c = Equal(d, one)  empty = Constant<value = int64[1] {0}>()
    cond = Squeeze(c, empty)
    y = If (cond) <
      then_branch = t () => (float[1,4] r) { q = Relu(x) r = Neg(q) },
      else_branch = e () => (float[1,4] r) { r = Loop(x) } >
  })";
  const Imported imported = importGraph(text);
  CHECK(imported.kinds().find("Relu Neg") != std::string::npos);
  CHECK(imported.only(OpKind::Neg).output() == imported.graph->outputs()[0].tensor);
  CHECK(imported.tensor("y").shape == Shape{1, 4});
}

TEST_CASE("a branch may hand on a value from outside") {
  const Imported imported = importGraph(R"(g (float[2] x) => (float[2] y) {
    cond = Constant<value = bool {1}>()
    a = Relu(x)
    b = If (cond) < then_branch = t () => (float[2] a) { }, else_branch = e () => (float[2] x) { } >
    y = Neg(b) })");
  CHECK(imported.kinds() == "Relu Neg");
}

TEST_CASE("an If whose condition is computed at run time is refused") {
  const Imported imported = importGraph(R"(g (float[2] x, bool cond) => (float[2] y) {
    y = If (cond) < then_branch = t () => (float[2] r) { r = Relu(x) },
                    else_branch = e () => (float[2] r) { r = Neg(x) } > })");
  CHECK(imported.said(DiagId::UnsupportedOp,
                      "node 'If_0' (If): its condition is not known at compile time"));
}

TEST_CASE("functions of the model are inlined with their attributes") {
  const Imported imported = importModel(parseOnnxText(R"(
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[2] x) => (float[2] y) { a = local.leak<slope = 0.25>(x)  y = local.leak<slope = 0.5>(a) }
    <domain: "local", opset_import: ["" : 17]>
    leak <slope>(p) => (r) { q = LeakyRelu<alpha: float = @slope>(p)  r = Neg(q) })"));
  CHECK(imported.kinds() == "LeakyRelu Neg LeakyRelu Neg");
  const std::vector<OpId>& order = imported.graph->order();
  CHECK(imported.graph->op(order[0]).attrs.getFloat("alpha") == 0.25);
  CHECK(imported.graph->op(order[2]).attrs.getFloat("alpha") == 0.5);
  CHECK(imported.names() == "leak_0/LeakyRelu_0 leak_0/Neg_0 leak_1/LeakyRelu_0 leak_1/Neg_0");
  CHECK(imported.tensor("a").shape == Shape{2});
}

TEST_CASE("a function that calls itself is refused") {
  CHECK(importModel(parseOnnxText(R"(
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[2] x) => (float[2] y) { y = local.again(x) }
    <domain: "local", opset_import: ["" : 17, "local" : 1]>
    again (p) => (r) { r = local.again(p) })"))
            .said(DiagId::BadModel, "nest deeper than 64"));
}

TEST_CASE("a cycle through a branch or a function names the nodes of its body") {
  CHECK(importGraph(R"(g (float[2] x) => (float[2] y) {
    cond = Constant<value = bool {1}>()
    a = Neg(b)
    b = If (cond) < then_branch = t () => (float[2] r) { q = Abs(a) r = Add(q, x) },
                    else_branch = e () => (float[2] r) { r = Relu(x) } >
    y = Relu(b) })")
            .said(DiagId::BadModel, "node 'Neg_0' (Neg) depends on itself: 'Neg_0' (Neg) -> "
                                    "'Abs_0' (Abs) -> 'Add_0' (Add) -> 'Neg_0' (Neg)"));
  CHECK(importModel(parseOnnxText(R"(
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[2] x) => (float[2] y) { a = Neg(y)  y = local.twice(x, a) }
    <domain: "local", opset_import: ["" : 17]>
    twice (p, s) => (r) { q = Abs(p)  r = Add(q, s) })"))
            .said(DiagId::BadModel, "node 'Neg_0' (Neg) depends on itself: 'Neg_0' (Neg) -> "
                                    "'twice_0/Add_0' (Add) -> 'Neg_0' (Neg)"));
}
