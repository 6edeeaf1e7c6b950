// The graph keeps producers, users, names and the revision consistent with every change.
#include "tigris/IR/Graph.h"

#include "IRTesting.h"

#include <algorithm>
#include <random>

using namespace tigris;
using namespace tigris::test;

namespace {

/// x -> a(Relu) -> s -> b(Add s, s) -> t
struct Chain : GraphBuilder {
  TensorId x, s, t;
  OpId a, b;

  Chain() {
    x = input({2});
    s = tensor("s", DType::Float32, {2});
    t = tensor("t", DType::Float32, {2});
    a = add("a", OpKind::Relu, {x}, s);
    b = add("b", OpKind::Add, {s, s}, t);
    output(t);
  }
  Op make(const std::string& name, OpKind kind, std::vector<TensorId> inputs, TensorId result) {
    Op op;
    op.kind = kind;
    op.name = name;
    op.inputs = std::move(inputs);
    op.outputs = {result};
    return op;
  }
  OpId add(const std::string& name, OpKind kind, std::vector<TensorId> inputs, TensorId result) {
    return graph.addOp(make(name, kind, std::move(inputs), result));
  }
};

} // namespace

TEST_CASE("graph: producers and users are known") {
  Chain c;
  CHECK(c.graph.producer(c.s) == c.a);
  CHECK(!c.graph.producer(c.x));
  CHECK(c.graph.users(c.x) == std::vector{c.a});
  CHECK(c.graph.users(c.s) == std::vector{c.b, c.b});
  CHECK(!c.graph.hasSingleUse(c.s));
  CHECK(c.graph.hasSingleUse(c.x));
  CHECK(!c.graph.hasSingleUse(c.t));
  CHECK(c.graph.isGraphInput(c.x));
  CHECK(c.graph.isGraphOutput(c.t));
  CHECK(!c.graph.isGraphOutput(c.s));
}

TEST_CASE("graph: names are unique and found") {
  Chain c;
  CHECK(c.graph.findTensor("s") == c.s);
  CHECK(c.graph.findOp("b") == c.b);
  CHECK(!c.graph.findTensor("b"));
  CHECK(c.graph.uniqueName("new") == "new");
  CHECK(c.graph.uniqueName("s") == "s_1");
  CHECK(c.graph.uniqueName("a") == "a_1");
  c.graph.renameTensor(c.s, "s_1");
  CHECK(!c.graph.findTensor("s"));
  CHECK(c.graph.findTensor("s_1") == c.s);
  CHECK(c.graph.uniqueName("s") == "s");
  Tensor twin;
  twin.name = "t";
  CHECK_THROWS_AS(c.graph.addTensor(twin), InternalError const&);
}

TEST_CASE("graph: an op without a name gets one from its kind") {
  Chain c;
  const OpId id = c.add("", OpKind::Relu, {c.t}, c.tensor("u", DType::Float32, {2}));
  CHECK(c.graph.op(id).name == "Relu");
  CHECK(c.graph.findOp("Relu") == id);
}

TEST_CASE("graph: operands can be replaced one by one and together") {
  Chain c;
  c.graph.setInput(c.b, 1, c.x);
  CHECK(c.graph.users(c.s) == std::vector{c.b});
  CHECK(c.graph.users(c.x).size() == 2);
  c.graph.setInputs(c.b, {c.x, c.x, TensorId()});
  CHECK(c.graph.op(c.b).inputs.size() == 2);
  CHECK(c.graph.users(c.s).empty());
  c.graph.setInput(c.a, 2, c.x);
  CHECK(!c.graph.op(c.a).input(1));
  CHECK(c.graph.op(c.a).input(2) == c.x);
}

TEST_CASE("graph: replaceAllUses changes operands and model outputs") {
  Chain c;
  c.graph.replaceAllUses(c.s, c.x);
  CHECK(c.graph.op(c.b).inputs == std::vector{c.x, c.x});
  CHECK(c.graph.users(c.s).empty());
  CHECK(c.graph.producer(c.s) == c.a);
  c.graph.replaceAllUses(c.t, c.s);
  CHECK(c.graph.outputs()[0].tensor == c.s);
  CHECK(c.graph.users(c.x).size() == 3);
}

TEST_CASE(
    "graph: a tensor that is read a hundred thousand times is replaced and let go in one go") {
  constexpr size_t Reads = 100000;
  Chain c;
  const TensorId all = c.tensor("all", DType::Float32, {2 * static_cast<int64_t>(Reads)});
  const OpId concat = c.add("concat", OpKind::Concat, std::vector<TensorId>(Reads, c.s), all);
  c.graph.replaceAllUses(c.s, c.x);
  CHECK(c.graph.users(c.s).empty());
  CHECK(c.graph.users(c.x).size() == Reads + 3);
  CHECK(c.graph.op(concat).input(Reads - 1) == c.x);
  CHECK(c.graph.op(c.b).inputs == std::vector<TensorId>{c.x, c.x});
  c.graph.eraseOp(concat);
  CHECK(c.graph.users(c.x).size() == 3);
}

TEST_CASE("graph: erasing an op frees its results and names, not the tensors") {
  Chain c;
  c.graph.eraseOp(c.b);
  CHECK(!c.graph.contains(c.b));
  CHECK(c.graph.order() == std::vector{c.a});
  CHECK(!c.graph.producer(c.t));
  CHECK(c.graph.users(c.s).empty());
  CHECK(!c.graph.findOp("b"));
  CHECK_THROWS_AS(c.graph.op(c.b), InternalError const&);
  // t is a model output and x an input; nothing is unused while op a writes s.
  CHECK(c.graph.eraseUnusedTensors() == 0);
  c.graph.eraseOp(c.a);
  CHECK(c.graph.eraseUnusedTensors() == 1);
  CHECK(!c.graph.findTensor("s"));
  CHECK_THROWS_AS(c.graph.tensor(c.s), InternalError const&);
  const std::vector<TensorId> live = c.graph.tensors();
  CHECK(live == std::vector{c.x, c.t});
}

TEST_CASE("graph: ids of erased ops are not used again") {
  Chain c;
  c.graph.eraseOp(c.b);
  const OpId next = c.add("b", OpKind::Relu, {c.s}, c.t);
  CHECK(next != c.b);
  CHECK(c.graph.producer(c.t) == next);
}

TEST_CASE("graph: ops are inserted before and after others") {
  Chain c;
  const auto unary = [&](const std::string& name) {
    return c.make(name, OpKind::Relu, {c.x}, c.tensor(name, DType::Float32, {2}));
  };
  const OpId before = c.graph.insertBefore(c.b, unary("p"));
  const OpId after = c.graph.insertAfter(c.b, unary("q"));
  CHECK(c.graph.order() == std::vector{c.a, before, c.b, after});
  c.graph.setOrder({before, c.a, c.b, after});
  CHECK(c.graph.order().front() == before);
  CHECK_THROWS_AS(c.graph.setOrder({c.a}), InternalError const&);
}

TEST_CASE("graph: results move to other tensors") {
  Chain c;
  const TensorId fresh = c.tensor("fresh", DType::Float32, {2});
  c.graph.setOutputs(c.a, {fresh});
  CHECK(c.graph.producer(fresh) == c.a);
  CHECK(!c.graph.producer(c.s));
  CHECK_THROWS_AS(c.graph.setOutputs(c.b, {fresh}), InternalError const&);
}

TEST_CASE("graph: every change moves the revision") {
  Chain c;
  uint64_t last = c.graph.revision();
  const auto moved = [&] {
    const bool grew = c.graph.revision() > last;
    last = c.graph.revision();
    return grew;
  };
  CHECK(!moved());
  c.graph.editTensor(c.s).shape = {3};
  CHECK(moved());
  c.graph.editOp(c.a).attrs.set("alpha", 1.0);
  CHECK(moved());
  c.graph.setForm(GraphForm::Normalized);
  CHECK(moved());
  c.graph.setInput(c.b, 0, c.x);
  CHECK(moved());
  c.graph.eraseOp(c.b);
  CHECK(moved());
  c.graph.editOutput(0).name = "out";
  CHECK(moved());
  CHECK(c.graph.eraseUnusedTensors() == 0);
  CHECK(!moved());
}

TEST_CASE("graph: a copy is independent and shares constants") {
  Chain c;
  const TensorId weights = c.floats({1, 2});
  Graph copy = c.graph;
  copy.eraseOp(c.b);
  copy.editTensor(c.s).shape = {7};
  CHECK(c.graph.contains(c.b));
  CHECK(c.graph.tensor(c.s).shape == Shape{2});
  CHECK(copy.tensor(weights).data == c.graph.tensor(weights).data);
}

TEST_CASE("graph: constants must have their shape's bytes") {
  Graph graph;
  CHECK_THROWS_AS(graph.addConstant("w", DType::Float32, {3}, makeBlob(std::vector<uint8_t>(8))),
                  InternalError const&);
}

TEST_CASE("graph: the order follows any mix of insertions, removals and reorderings") {
  Chain c;
  std::vector<OpId> expected = {c.a, c.b};
  std::minstd_rand random(7);
  for (int step = 0; step < 2000; ++step) {
    const size_t at = random() % expected.size();
    const auto place = expected.begin() + static_cast<std::ptrdiff_t>(at);
    const auto make = [&] { return c.make(c.graph.uniqueName("n"), OpKind::Relu, {c.x}, {}); };
    switch (random() % 8) {
    case 0:
    case 1:
      expected.insert(place, c.graph.insertBefore(*place, make()));
      break;
    case 2:
    case 3:
      expected.insert(place + 1, c.graph.insertAfter(*place, make()));
      break;
    case 4:
      expected.push_back(c.graph.addOp(make()));
      break;
    case 5:
      std::rotate(expected.begin(), place, expected.end());
      c.graph.setOrder(expected);
      break;
    default:
      if (expected.size() == 1)
        break;
      c.graph.eraseOp(*place);
      expected.erase(place);
    }
    if (random() % 4 == 0)
      REQUIRE(c.graph.order() == expected);
  }
  CHECK(c.graph.order() == expected);
  CHECK(Graph(c.graph).order() == expected);
}

TEST_CASE("graph: an edit costs the same in a large graph") {
  // Half a minute where each edit takes time in proportion to the graph.
  constexpr size_t Count = 100'000;
  Chain c;
  const auto make = [&](size_t i) { return c.make(strCat("n", i), OpKind::Relu, {c.x}, {}); };
  std::vector<OpId> added;
  for (size_t i = 0; i < Count; ++i)
    added.push_back(c.graph.insertBefore(c.b, make(i)));
  CHECK(c.graph.order().size() == Count + 2);
  for (const OpId id : added)
    c.graph.eraseOp(id);
  CHECK(c.graph.order() == std::vector{c.a, c.b});
}

TEST_CASE("graph: a tensor counts its model inputs and outputs") {
  Chain c;
  c.output(c.s);
  c.output(c.s);
  CHECK(c.graph.isGraphOutput(c.s));
  c.graph.setOutputTensor(1, c.t);
  CHECK(c.graph.isGraphOutput(c.s));
  c.graph.setOutputTensor(2, c.t);
  CHECK(!c.graph.isGraphOutput(c.s));
  c.graph.replaceAllUses(c.t, c.s);
  CHECK(c.graph.isGraphOutput(c.s));
  CHECK(!c.graph.isGraphOutput(c.t));
  c.graph.setInputTensor(0, c.t);
  CHECK(c.graph.isGraphInput(c.t));
  CHECK(!c.graph.isGraphInput(c.x));
  CHECK(Graph(c.graph).isGraphInput(c.t));
}
