// The matcher of the pass tests.
#include "Check.h"

#include <doctest/doctest.h>

using tigris::checkText;

TEST_CASE("CHECK finds lines in order, whatever their blanks") {
  CHECK_FALSE(checkText("a  1\nb 2\nc 3\n", "# CHECK: a 1\n# CHECK:   c\t3\n"));
  CHECK(checkText("a\nb\n", "# CHECK: b\n# CHECK: a\n"));
  CHECK(checkText("a\n", "nothing here"));
}

TEST_CASE("CHECK-NEXT means the very next line") {
  CHECK_FALSE(checkText("a\nb\n", "# CHECK: a\n# CHECK-NEXT: b\n"));
  CHECK(checkText("a\nx\nb\n", "# CHECK: a\n# CHECK-NEXT: b\n"));
}

TEST_CASE("CHECK-NOT covers the text between its neighbors") {
  CHECK(checkText("a\nx\nb\n", "# CHECK: a\n# CHECK-NOT: x\n# CHECK: b\n"));
  CHECK_FALSE(checkText("a\nb\nx\n", "# CHECK: a\n# CHECK-NOT: x\n# CHECK: b\n"));
  CHECK(checkText("a\nx\n", "# CHECK: a\n# CHECK-NOT: x\n"));
  CHECK(checkText("x\na\n", "# CHECK-NOT: x\n# CHECK: a\n"));
  CHECK_FALSE(checkText("a\n", "# CHECK-NOT: x\n"));
}

TEST_CASE("CHECK-DAG matches in any order") {
  CHECK_FALSE(checkText("a\nb\nc\n", "# CHECK-DAG: b\n# CHECK-DAG: a\n# CHECK: c\n"));
  CHECK(checkText("a\nb\nc\n", "# CHECK-DAG: b\n# CHECK-DAG: d\n"));
}

TEST_CASE("double braces hold a regular expression, the rest is literal") {
  CHECK_FALSE(
      checkText("{op: Add, shape: [1, 2]}", "# CHECK: {op: {{A.d}}, shape: [1, {{[0-9]}}]}"));
  CHECK(checkText("{op: Axd}", "# CHECK: op: A.d"));
}
