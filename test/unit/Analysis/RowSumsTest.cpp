// Ops that add the rows of their operand to sums.
#include "tigris/Analysis/RowSums.h"
#include "PassTesting.h"

#include "tigris/Support/StringUtils.h"

#include <doctest/doctest.h>

using namespace tigris;

namespace {

/// The sums of one op from x to y.
uint64_t sums(const std::string& op, const std::string& type, const std::string& x,
              const std::string& y) {
  const std::string quant = type != "float32" ? ", quant: {scale: 1.0}" : "";
  const Graph graph = parseGraph(
      strCat("form: normalized\nlayout: channels-last\ninputs: [{name: x}]\noutputs: [{name: y}]\n"
             "tensors:\n  - {name: x, type: ",
             type, ", shape: [", x, "]", quant, "}\n  - {name: y, type: ", type, ", shape: [", y,
             "]", quant, "}\nops:\n  - {op: ", op, ", in: [x], out: [y]}\n"));
  return rowSumBytes(graph, graph.op(graph.order()[0]));
}

} // namespace

TEST_CASE("reductions of rows keep one sum per element of the result") {
  const std::string mean = "ReduceMean, name: r, attrs: {axes: ";
  CHECK(sums("GlobalAveragePool, name: r", "int8", "2, 8, 6, 5", "2, 1, 1, 5") == 5 * 4);
  CHECK(sums(mean + "[1]}", "int8", "2, 8, 6, 5", "2, 1, 6, 5") == 6 * 5 * 4);
  CHECK(sums(mean + "[1, 2]}", "float32", "2, 8, 6, 5", "2, 1, 1, 5") == 5 * 4);
  CHECK(sums(mean + "[-3, -1]}", "float32", "2, 8, 6, 5", "2, 1, 6, 1") == 6 * 4);
  CHECK(sums("ReduceSum, name: r, attrs: {axes: [1]}", "float32", "1, 8, 5", "1, 1, 5") == 5 * 4);
  CHECK(sums("ReduceMax, name: r, attrs: {axes: [1]}", "float32", "1, 8, 5", "1, 1, 5") == 5 * 4);
  // Bytes are enough for the largest of bytes.
  CHECK(sums("ReduceMax, name: r, attrs: {axes: [1]}", "int8", "1, 8, 5", "1, 1, 5") == 5);
  CHECK(sums("ReduceMin, name: r, attrs: {axes: [0, 1]}", "int8", "1, 8, 5", "1, 1, 5") == 5);
}

TEST_CASE("other reductions need all rows at a time") {
  const std::string mean = "ReduceMean, name: r, attrs: {axes: ";
  CHECK(sums(mean + "[2]}", "float32", "1, 8, 6, 5", "1, 8, 1, 5") == 0);
  CHECK(sums(mean + "[0, 1]}", "float32", "2, 8, 6, 5", "1, 1, 6, 5") == 0);
  CHECK(sums(mean + "[1], keepdims: 0}", "float32", "1, 8, 6, 5", "1, 6, 5") == 0);
  CHECK(sums(mean + "[0, 1], keepdims: 0}", "float32", "2, 8, 2, 1", "2, 1") == 0);
  CHECK(sums(mean + "[1]}", "float32", "8, 5", "8, 1") == 0);
  CHECK(sums(mean + "[1]}", "int16", "1, 8, 5", "1, 1, 5") == 0);
  // It subtracts the maximum first.
  CHECK(sums("ReduceLogSumExp, name: r, attrs: {axes: [1]}", "float32", "1, 8, 5", "1, 1, 5") == 0);
  CHECK(sums("Softmax, name: r, attrs: {axis: 1}", "float32", "1, 8, 5", "1, 8, 5") == 0);
}
