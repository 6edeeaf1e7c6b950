// Nodes that cannot be executed: each is reported once, with its name, its operator and the reason.
#include "ImportTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

TEST_CASE("all refused nodes are told, the last one as the error") {
  const Imported imported = importGraph(
      "g (float[2] x) => (float[2] y) { a = Det(x) b = Relu(a) c = NonZero(x) y = Add(b, c) }");
  REQUIRE(imported.error);
  REQUIRE(imported.diagnostics.size() == 1);
  CHECK(imported.said(DiagId::UnsupportedOp,
                      "node 'NonZero_0' (NonZero): the shape of its result depends on"));
  CHECK(imported.said(DiagId::UnsupportedOp, "node 'Det_0' (Det)"));
}

TEST_CASE("refusals are grouped by operator and reason") {
  const Imported imported =
      importGraph("g (float[2] x) => (float[2] y) { r = Relu(x) a = Det(r) b = Det(x) c = Det(x) "
                  "d = NonZero(r) y = Sum(a, b, c, d) }");
  REQUIRE(imported.error);
  REQUIRE(imported.diagnostics.size() == 1);
  CHECK(imported.said(DiagId::UnsupportedOp, "node 'NonZero_0' (NonZero)"));
  CHECK(imported.error->diagnostic().notes ==
        std::vector<std::string>{"likewise 2 more: 'Det_1', 'Det_0'",
                                 "4 nodes are refused: Det (3), NonZero (1)",
                                 "to compile the model up to there, end it with "
                                 "--output-tensor=NAME at 'r'"});
}

TEST_CASE("at most twenty groups of refusals are shown") {
  std::string text = "g (float[2] x) => (float[2] y) { y = Sum(x";
  std::string nodes;
  for (int i = 0; i < 25; ++i) {
    text += strCat(", t", i);
    nodes += strCat(" t", i, " = Magic", i, "(x)");
  }
  const Imported imported = importGraph(text + ")" + nodes + " }");
  REQUIRE(imported.error);
  CHECK(imported.diagnostics.size() == 19);
  CHECK(imported.error->diagnostic().notes.at(0).find("5 more errors") == 0);
}

TEST_CASE("a model can end at a tensor before the operators that are refused") {
  const std::string text = "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(a) y = Det(b) }";
  ImportOptions options;
  options.outputs = {"a", "b"};
  const Imported imported = importGraph(text, 17, options);
  CHECK(imported.kinds() == "Relu Neg");
  REQUIRE(imported.graph->outputs().size() == 2);
  CHECK(imported.graph->outputs()[1].name == "b");
  options.outputs = {"aa"};
  CHECK(
      importGraph(text, 17, options)
          .said(DiagId::Usage, "--output-tensor: the model has no tensor 'aa'; did you mean 'a'"));
}

TEST_CASE("reasons") {
  const auto refused = [](const std::string& node, const std::string& reason) {
    CAPTURE(node);
    CHECK(importGraph("g (float[1,1,2] x, float[1,8,2] w) => (float y) { y = " + node + " }")
              .said(DiagId::UnsupportedOp, reason));
  };
  refused("SequenceConstruct(x)", "sequences and optional values");
  refused("RandomNormalLike(x)", "its result is random");
  refused("NonZero(x)", "depends on the values");
  refused("com.acme.Magic(x)", "operators of the domain 'com.acme' are not supported");
  refused("com.microsoft.FusedConv(x, w)", "operators of the domain 'com.microsoft'");
  refused("DepthwiseConv(x, w)", "the operator is not supported");
}

TEST_CASE("results that only run time knows are refused") {
  CHECK(importGraph("g (float[2] x, float[2] z) => (float[2] y) { s = Shape(x) c = Cast<to=7>(z) "
                    "a = Constant<value_ints = [0]>() d = Gather(c, a) y = Expand(x, d) }")
            .said(DiagId::DynamicShape, "Expand_0"));
  CHECK(importGraph("g (float[4] x, int64[1] s) => (float[4] y) { y = Reshape(x, s) }")
            .said(DiagId::DynamicShape, "Reshape_0"));
}

TEST_CASE("shapes that do not agree are refused by name") {
  CHECK(importGraph("g (float[2] x, float[3] z) => (float[2] y) { y = Add(x, z) }")
            .said(DiagId::BadShape, "Add_0"));
}

TEST_CASE("unknown operators stay when asked for") {
  ImportOptions options;
  options.allowUnknownOps = true;
  const std::string text = "g (float[n,2] x) => (float[n,4] y) "
                           "{ y = com.acme.Magic<k=3, mode=\"fast\">(x) }";
  const Imported imported = importGraph(text, 17, options);
  const Op& op = imported.only(OpKind::Unknown);
  CHECK(op.unknownKind == "com.acme::Magic");
  CHECK(op.attrs.getInt("k") == 3);
  CHECK(op.attrs.getString("mode") == "fast");
  CHECK(imported.tensor("y").shape == Shape{1, 4});
  CHECK(importGraph("g (float[2] x) => (float[2] y) { a = Magic(x) y = Relu(a) }", 17, options)
            .said(DiagId::DynamicShape, "declares no type and shape for output 'a'"));
}
