// Operators of ai.onnx.ml; test/e2e compares their numbers with those of onnxruntime.
#include "ImportTesting.h"
#include "PassTesting.h"

#include <doctest/doctest.h>

using namespace tigris;
using namespace tigris::test;

namespace {

/// A regression tree with the root 0 and the leaves 1 and 2; attributes can be replaced.
std::string tree(const std::string& children = "nodes_truenodeids=[1,0,0], "
                                               "nodes_falsenodeids=[2,0,0]",
                 const std::string& features = "1,0,0", const std::string& mode = "BRANCH_LEQ") {
  return "g (float[1,2] x) => (float y) { y = ai.onnx.ml.TreeEnsembleRegressor<nodes_treeids="
         "[0,0,0], nodes_nodeids=[0,1,2], nodes_values=[0.5,0.0,0.0], nodes_featureids=[" +
         features + "], nodes_modes=[\"" + mode + "\",\"LEAF\",\"LEAF\"], " + children +
         ", target_treeids=[0,0], target_nodeids=[1,2], target_ids=[0,0], "
         "target_weights=[1.0,2.0]>(x) }";
}

std::string classifier(const std::string& labels, const std::string& outputs,
                       const std::string& results) {
  return "g (float[1,2] x) => (" + outputs + ") { " + results +
         " = ai.onnx.ml.LinearClassifier<coefficients=[1.0,2.0,3.0,4.0], intercepts=[0.0,1.0], " +
         labels + ", post_transform=\"LOGISTIC\">(x) }";
}

} // namespace

TEST_CASE("scalers, normalizers and regressors") {
  CHECK(importGraph("g (int64[1,2] x) => (float y) "
                    "{ y = ai.onnx.ml.Scaler<offset=[1.0,2.0], scale=[2.0]>(x) }")
            .kinds() == "Cast Sub Mul");
  CHECK(importGraph("g (float[1,2] x) => (float y) { y = ai.onnx.ml.Normalizer<norm=\"L1\">(x) }")
            .kinds() == "ReduceL1 Equal Where Div");
  CHECK(importGraph("g (float[1,2] x) => (float y) "
                    "{ y = ai.onnx.ml.LinearRegressor<coefficients=[1.0,2.0]>(x) }")
            .kinds() == "Gemm Identity");
  CHECK(importGraph("g (float[1,2] x) => (float y) "
                    "{ y = ai.onnx.ml.LinearRegressor<coefficients=[1.0,2.0,3.0]>(x) }")
            .said(DiagId::BadAttr, "'coefficients' has 3 numbers, expected a multiple of 2"));
}

TEST_CASE("labels are integers; text becomes an index") {
  const std::string integers = "classlabels_ints=[5,6]";
  const std::string texts = "classlabels_strings=[\"no\",\"yes\"]";
  CHECK(importGraph(classifier(integers, "int64 l, float s", "l, s")).kinds() ==
        "Gemm ArgMax Gather Sigmoid");
  CHECK(importGraph(classifier(texts, "float s", "l, s")).kinds() == "Gemm Sigmoid");
  const Imported named = importGraph(classifier(texts, "string l, float s", "l, s"));
  CHECK(named.tensor("l").type == DType::Int64);
  CHECK(named.said(DiagId::UnsupportedType,
                   "its labels are text; the plan returns their index, from 0 to 1"));
}

TEST_CASE("a ZipMap returns its tensor, with a warning") {
  const Imported imported = importGraph(
      "g (float[1,2] x) => (float y) { y = ai.onnx.ml.ZipMap<classlabels_int64s=[0,1]>(x) }");
  CHECK(imported.kinds() == "Identity");
  CHECK(imported.said(DiagId::UnsupportedType, "its result is a map; the plan returns the tensor"));
}

TEST_CASE("trees descend level by level; malformed ones are refused") {
  CHECK(importGraph(tree()).kinds() ==
        "Gather GatherElements Gather LessOrEqual Gather Gather Where Gather ReduceSum Identity");
  CHECK(importGraph(tree("nodes_truenodeids=[1,0,0], nodes_falsenodeids=[7,0,0]"))
            .said(DiagId::BadAttr, "node 0 of tree 0 leads to 7"));
  CHECK(importGraph(tree("nodes_truenodeids=[1,0,0], nodes_falsenodeids=[1,0,0]"))
            .said(DiagId::BadAttr, "node 0 of tree 0 leads to 1, which is no node of its own"));
  CHECK(importGraph(tree("nodes_truenodeids=[1,0,0], nodes_falsenodeids=[2,0,0]", "2,0,0"))
            .said(DiagId::BadAttr, "compares feature 2 of 2"));
  const auto compares = [](const char* yes, const char* no, const char* mode) {
    return importGraph(
        tree(strCat("nodes_truenodeids=[", yes, ",0,0], nodes_falsenodeids=[", no, ",0,0]"),
             "1,0,0", mode));
  };
  CHECK(compares("1", "2", "BRANCH_XOR")
            .said(DiagId::UnsupportedOp, "its nodes compare with BRANCH_XOR"));
  // A node that branches where values differ is one that branches the other way where they do not.
  CHECK(printGraph(*compares("1", "2", "BRANCH_NEQ").graph) ==
        printGraph(*compares("2", "1", "BRANCH_EQ").graph));
}

TEST_CASE("other operators of the domain are refused") {
  CHECK(importGraph("g (float[1,2] x) => (float y) { y = ai.onnx.ml.SVMRegressor(x) }")
            .said(DiagId::UnsupportedOp, "this operator of scikit-learn is not supported"));
}
