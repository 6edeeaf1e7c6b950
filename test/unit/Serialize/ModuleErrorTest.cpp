// Every error in a module has one clear message with its position.
#include "ModuleTesting.h"

using namespace tigris;

namespace {

/// The tiny module with one piece of text replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = print(tinyGraph());
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string& from, const std::string& to) {
  return parseError(changed(from, to));
}

bool has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos)
    return true;
  MESSAGE(text);
  return false;
}

} // namespace

TEST_CASE("input that is no module is named") {
  const std::string hint =
      "empty input; did the previous tool fail? (use 'set -o pipefail') [empty-input]\n";
  CHECK(parseError("") == "t.yaml: error: the file is empty [empty-input]\n");
  CHECK(parseError("", "-") == "<stdin>: error: " + hint);
  CHECK(parseError(" \n\n", "-") == "<stdin>: error: " + hint);
  CHECK(has(parseError(std::string(5000, '\n')), "[empty-input]"));
  CHECK(has(parseError("# nothing\n"), "only comments and blank lines"));
  CHECK(has(parseError(std::string("\x08\x07\x12\x07pytorch", 11)),
            "an ONNX model; convert it with tigris-import"));
  CHECK(has(parseError(std::string("TGRS\1\0\x20\0", 8)), "a .tgrs plan; tigris-run executes it"));
  CHECK(has(parseError(std::string("\x1c\0\0\0TFL3", 8)), "TensorFlow Lite"));
  CHECK(has(parseError("\x1f\x8b\x08"), "compressed"));
  CHECK(has(parseError("PK\3\4"), "a zip archive; decompress it first"));
  CHECK(has(parseError("\x93NUMPY\1"), "NumPy"));
  CHECK(has(parseError(std::string("\xff\xfe-\0", 4)), "UTF-16"));
  CHECK(has(parseError(std::string("\x7f"
                                   "ELF\0\1",
                                   6)),
            "a program or library (ELF)"));
  CHECK(has(parseError("\x01\x02\x03\x04"), "binary data"));
  CHECK(has(parseError("name: x\n"),
            "t.yaml:1:1: error: this is YAML but not a graph module: the key 'tigris'"));
  CHECK(has(parseError("[1, 2]\n"), "[bad-module]"));
  CHECK(has(parseError("{\"a\": 1}\n"), "[bad-module]"));
  CHECK(has(parseError("---\n---\n"), "[bad-module]"));
  CHECK(has(parseError("tigris: graph/1\na: [\n"), "[bad-yaml]"));
  CHECK(has(parseError("{\"tigris\": \"graph/1\", [\n"), "[bad-yaml]"));
  for (const char* const prose : {"hello\n", "# Read me\n\nA note: it says: this\n", "a: [\n"})
    CHECK(has(parseError(prose), "t.yaml: error: not a graph module: it is text; "));
  CHECK(has(parseError(changed("form", std::string("fo\0m", 4))),
            "t.yaml:3:3: error: control byte 0"));
  CHECK(has(parseError("# " + std::string(2000, 'x') + "\n" + changed("form", "fo\x01m")),
            "t.yaml:4:3: error: control byte 1"));
}

TEST_CASE("versions") {
  CHECK(errorOf("graph/1", "graph/3") == "t.yaml:2:9: error: written by schema graph/3, this tool "
                                         "reads up to graph/1; update it [bad-version]\n");
  // A newer schema may differ in everything else, too.
  CHECK(has(parseError("tigris: graph/2\nwhat: ever\n"), "[bad-version]"));
  CHECK(has(errorOf("graph/1", "weights/1"), "a document 'graph/1' is expected, not 'weights/1'"));
  CHECK(has(errorOf("graph/1", "graph/0"), "[bad-module]"));
  CHECK(has(errorOf("graph/1", "graph"), "[bad-module]"));
  CHECK(has(errorOf("graph/1", "graph/x"), "[bad-module]"));
  CHECK(has(errorOf("graph/1", "[graph/1]"), "[bad-module]"));
}

TEST_CASE("a renamed key is read in its old spelling, too, but not in both") {
  CHECK(print(*parse(changed("form:", "stage:"))) == print(tinyGraph()));
  CHECK(
      has(errorOf("form: imported", "form: imported\nstage: imported"),
          "t.yaml:4:8: error: key 'stage' is the old spelling of 'form', which is given as well"));
}

TEST_CASE("unknown keys come with a suggestion and their place") {
  CHECK(errorOf("form:", "forrm:") == "t.yaml:3:1: error: graph document has no key 'forrm'; "
                                      "did you mean 'form'? [unknown-key]\n");
  CHECK(errorOf("shape: [2, 3]", "shpae: [2, 3]") ==
        "t.yaml:9:30: error: tensor has no key 'shpae'; did you mean 'shape'? [unknown-key]\n");
  CHECK(errorOf("in: [x]", "inn: [x]") ==
        "t.yaml:12:28: error: op has no key 'inn'; did you mean 'in'? [unknown-key]\n");
  CHECK(has(errorOf("{name: x}", "{name: x, layout: b}"), "input has no key 'layout'"));
  CHECK(has(errorOf("float32", "float32, quant: {scales: 1}"), "quant has no key 'scales'"));
}

TEST_CASE("values of the wrong kind or outside their range") {
  CHECK(errorOf("imported", "importd") ==
        "t.yaml:3:7: error: form must be one of imported, normalized, "
        "planned, not 'importd'; did you mean 'imported'? [bad-value]\n");
  CHECK(has(errorOf("form: imported", "form: [imported]"), "not a list [bad-value]"));
  CHECK(has(errorOf("form: imported\n", ""), "graph document: key 'form' is missing"));
  CHECK(has(errorOf("form: imported", "form: imported\nlayout: NHWC"),
            "t.yaml:4:9: error: layout must be one of channels-first, channels-last, not 'NHWC'"));
  CHECK(has(errorOf("form: imported", "form: imported\nmodel: {opset: -1}"),
            "opset is -1, must be 0 to"));
  CHECK(has(errorOf("form: imported", "form: imported\nhistory: no list"),
            "history must be a list, not 'no list'"));
  CHECK(errorOf("float32", "float33") == "t.yaml:9:21: error: tensor 'x': type must be one of "
                                         "undefined, float32, int8, uint8, int16, uint16, int32, "
                                         "int64, bool, float16, float64, int4, uint4, not "
                                         "'float33'; did you mean 'float32'? [bad-value]\n");
  CHECK(has(errorOf("[2, 3]", "[2, x]"),
            "t.yaml:9:41: error: tensor 'x': shape must be an integer, not 'x'"));
  CHECK(has(errorOf("[2, 3]", "[2, \"3\"]"), "shape must be an integer"));
  CHECK(has(errorOf("[2, 3]", "[2, -1]"), "shape is -1, must be 0 to"));
  CHECK(has(errorOf("[2, 3]", "[1099511627776, 2]"), "has more than 1099511627776 elements"));
  CHECK(has(errorOf("[2, 3]", "[1099511627776, 0, 2]"), "has more than 1099511627776 elements"));
  CHECK(has(errorOf("[2, 3]", "[99999999999999999999]"), "shape must be an integer"));
  CHECK(has(errorOf("[2, 3]", "6"), "shape must be a list, not '6'"));
  CHECK(
      has(errorOf("[2, 3]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
          "has 33 dimensions, at most 32"));
  CHECK(has(errorOf("{name: x, type", "{type"), "tensor: key 'name' is missing"));
  CHECK(has(errorOf("{name: x, type", "{name: \"\", type"), "tensor name must not be empty"));
  CHECK(has(errorOf("{name: x, type", "{name: ~, type"),
            "tensor name must be a string, not nothing"));
  CHECK(has(errorOf("shape: [2, 3]}", "shape: [2, 3], const: 1}"),
            "const must be true or false, not '1'"));
  CHECK(has(errorOf("float32, shape: [2, 3]}", "float32, const: true}"),
            "a constant needs type and shape"));
  CHECK(has(errorOf("type: float32, shape", "const: true, shape"),
            "a constant needs type and shape"));
  CHECK(has(errorOf("- {op", "- x\n  - {op"), "op must be a map, not 'x'"));
  CHECK(has(errorOf("in: [x]", "in: x"), "op 'relu': in must be a list, not 'x'"));
  CHECK(has(errorOf("out: [b]", "out: [b], act: relu"),
            "act must be one of None, Relu, Relu6, Clip, not 'relu'"));
}

TEST_CASE("quantization of the wrong form") {
  const auto quant = [](const std::string& text) {
    return errorOf("float32, shape: [2, 3]", "int8, shape: [2, 3], quant: " + text);
  };
  CHECK(has(quant("{}"), "quant: key 'scale' is missing"));
  CHECK(has(quant("{scale: [1, x]}"), "tensor 'x': scale must be a number, not 'x'"));
  CHECK(has(quant("{scale: elsewhere}"),
            "the data of 'elsewhere' is missing: the module has no weights document"));
  CHECK(has(quant("{scale: 1, zero_point: [1, 2]}"), "quant has 1 scales and 2 zero points"));
  CHECK(has(quant("{scale: 1, zero_point: 1.5}"), "zero_point must be an integer, not '1.5'"));
  CHECK(has(quant("{scale: 1, zero_point: nowhere}"), "the data of 'nowhere' is missing"));
  CHECK(has(quant("{scale: 1, zero_point: [9999999999]}"), "zero_point is 9999999999, must be"));
  CHECK(has(quant("{scale: 1, axis: -1}"), "axis is -1, must be 0 to"));
  CHECK(has(quant("{scale: {}}"), "scale must be a number, not a map"));
  CHECK(has(quant("{scale: -1}"), "[bad-value]"));
}

TEST_CASE("names that are missing or taken") {
  CHECK(errorOf("name: b, type", "name: x, type") ==
        "t.yaml:10:12: error: tensor 'x' is given twice [duplicate-name]\n");
  CHECK(has(errorOf("- {op: Relu", "- {op: Relu, name: relu}\n  - {op: Relu"),
            "t.yaml:13:22: error: op 'relu' is given twice [duplicate-name]"));
  CHECK(errorOf("in: [x]", "in: [input]") ==
        "t.yaml:12:33: error: op 'relu': there is no tensor 'input' [unknown-tensor]\n");
  CHECK(has(errorOf("out: [b]", "out: [bb]"),
            "there is no tensor 'bb'; did you mean 'b'? [unknown-tensor]"));
  CHECK(has(errorOf("{name: b}", "{name: q}"), "output 'q': there is no tensor 'q'"));
  CHECK(has(errorOf("{name: x}", "{name: in, tensor: [x]}"),
            "name of a tensor must be a string, not a list"));
  CHECK(has(errorOf("out: [b]", "out: [b, b]"),
            "t.yaml:12:46: error: op 'relu': tensor 'b' is a result twice"));
  CHECK(has(errorOf("out: [b]}", "out: [b]}\n  - {op: Relu, name: r2, in: [x], out: [b]}"),
            "op 'r2': tensor 'b' is already the result of op 'relu' [bad-graph]"));
  CHECK(has(errorOf("form: imported", "form: imported\nform: planned"),
            "key 'form' is given twice [duplicate-name]"));
}

TEST_CASE("operators and attributes") {
  CHECK(errorOf("op: Relu", "op: Rellu") == "t.yaml:12:10: error: op 'relu': unknown operator "
                                            "'Rellu'; did you mean 'Relu'? [unsupported-op]\n");
  CHECK(has(errorOf("op: Relu, ", ""), "op 'relu': op: key 'op' is missing"));
  CHECK(has(errorOf("out: [b]", "out: [b], attrs: {alpha: 1}"),
            "op 'relu': Relu has no attribute 'alpha' [bad-attr]"));
  CHECK(errorOf("op: Relu, name: relu, in: [x], out: [b]",
                "op: LeakyRelu, name: relu, in: [x], out: [b], attrs: {alhpa: 1}") ==
        "t.yaml:12:60: error: op 'relu': LeakyRelu has no attribute 'alhpa'; did you mean 'alpha'? "
        "[bad-attr]\n");
  CHECK(has(errorOf("op: Relu, name: relu, in: [x], out: [b]",
                    "op: LeakyRelu, name: relu, in: [x], out: [b], attrs: {alpha: [1]}"),
            "op 'relu': alpha must be a number, not a list [bad-attr]"));
  CHECK(has(errorOf("op: Relu, name: relu, in: [x], out: [b]",
                    "op: Softmax, name: relu, in: [x], out: [b], attrs: {axis: 1.0}"),
            "axis must be an integer, not '1.0' [bad-attr]"));
}

TEST_CASE("the verifier has the last word") {
  const std::string text = errorOf("in: [x], ", "");
  CHECK(has(text, "t.yaml: error: "));
  CHECK(has(text, "[bad-arity]"));
  // The first error is returned; the others are its notes.
  CHECK(has(errorOf("{name: b}", "{name: b}\n  - {name: b}\n  - {name: b}"), "note: also: "));
  CHECK(has(errorOf("imported", "planned"), "channels-last"));
}

TEST_CASE("ops that depend on each other are named in order") {
  for (const char* const form : {"imported", "normalized"}) {
    const std::string text = parseError(strCat("tigris: graph/1\nform: ", form, R"(
layout: channels-last
inputs: [{name: x}]
outputs: [{name: y}]
tensors:
  - {name: x, type: float32, shape: [1, 4]}
  - {name: a, type: float32, shape: [1, 4]}
  - {name: b, type: float32, shape: [1, 4]}
  - {name: y, type: float32, shape: [1, 4]}
ops:
  - {op: Relu, name: last, in: [b], out: [y]}
  - {op: Relu, name: second, in: [a], out: [b]}
  - {op: Add, name: third, in: [x, b], out: [a]}
)"));
    CHECK(has(text, "reads tensor 'b' before it is written"));
    CHECK(has(text, "note: op 'second' (Relu) depends on itself: 'second' (Relu) -> 'third' (Add) "
                    "-> 'second' (Relu)"));
  }
  CHECK_FALSE(parseError(changed("name: relu, in: [x]", "name: relu, in: [b]")) == "ok");
}

TEST_CASE("plans that do not fit their graph") {
  const auto plan = [](const std::string& text) {
    return parseError(print(tinyGraph()) + "plan:" + text);
  };
  CHECK(has(plan(" {}\n"), "plan: key 'budget' is missing"));
  CHECK(has(plan("\n  budget: {fast: -1}\n"), "t.yaml:14:18: error: fast is -1, must be 0 to"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  align: 3\n"), "align is 3, must be a power of two"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  align: 0\n"), "align is 0, must be a power of two"));
  CHECK(
      has(plan("\n  budget: {fast: 1}\n  io: nowhere\n"), "io must be one of slow, caller, arena"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  stages:\n    - {ops: [rel]}\n"),
            "the plan names op 'rel', which"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  stages:\n    - {ops: [relu], mode: half}\n"),
            "mode must be one of whole"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  slow:\n    - {tensor: w, offset: 0}\n"),
            "the plan names tensor 'w', which"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  slow:\n    - {tensor: x}\n"),
            "placement: key 'offset' is missing"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  stats: {mac: 1}\n"),
            "stats has no key 'mac'; did you mean 'macs'?"));
  CHECK(has(plan("\n  budget: {fast: 1}\n  proven_optimal: yes\n"),
            "proven_optimal must be true or false"));
}

TEST_CASE("keys of a stage that its mode does not have") {
  const auto stage = [](const std::string& text) {
    return parseError(strCat(print(tinyGraph()),
                             "plan:\n  budget: {fast: 1}\n  stages:\n    - {ops: [relu], ", text,
                             "}\n"));
  };
  const std::string buffer = "bookkeeping: 0, buffers: [{tensor: x, offset: 0, bytes: 4";
  CHECK(has(stage("tiles: [1, 1, 1, 1]"), "a whole stage has no tiles, bookkeeping or buffers"));
  CHECK(has(stage("mode: direct, buffers: []"), "a direct stage has no tiles, bookkeeping or buf"));
  CHECK(has(stage("mode: direct, fast: [{tensor: x, offset: 0}]"),
            "a direct stage has no tensors in fast memory"));
  CHECK(has(stage("mode: tiled"), "stage: key 'tiles' is missing"));
  CHECK(has(stage("mode: streamed, tiles: [1, 1, 1, 1]"), "stage: key 'bookkeeping' is missing"));
  CHECK(has(stage("mode: tiled, tiles: [1, 2], bookkeeping: 0, buffers: []"),
            "tiles has 2 numbers, expected 4"));
  CHECK(has(stage("mode: streamed, tiles: [1, 2, 1, 3], bookkeeping: 0, buffers: []"),
            "tiles of a streamed stage end with 3, expected 1"));
  for (const std::string key : {"in_place: true", "sink: true", "wait: 1"})
    CHECK(has(stage(strCat("mode: tiled, tiles: [1, 2, 1, 1], ", buffer, ", ", key, "}]")),
              strCat("buffer of a tiled stage has no key '", key.substr(0, key.find(':')), "'")));
  CHECK(has(stage(strCat("mode: streamed, tiles: [1, 2, 1, 1], ", buffer, ", waits: 1}]")),
            "buffer of a streamed stage has no key 'waits'; did you mean 'wait'?"));
}

TEST_CASE("hand-written modules may use YAML's other spellings") {
  const Expected<Graph> graph = parse(R"(%YAML 1.1
# a comment
---
'tigris': graph/1
form: imported   # trailing comment
inputs: [{name: x}]
outputs:
- name: b
tensors:
  - name: x
    type: float32
    shape:
      - 2
      - 3
  - {name: b,
     type: float32, shape: [2,3]}
ops: [{op: Relu, name: 'relu', in: [x], out: [b]}]
...
)");
  REQUIRE_MESSAGE(graph, formatDiagnostic(graph.error().diagnostic(), ""));
  CHECK(print(*graph) == print(tinyGraph()));
  std::string crlf;
  for (const char c : print(tinyGraph()))
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Expected<Graph> windows = parse(crlf);
  REQUIRE(windows);
  CHECK(print(*windows) == print(tinyGraph()));
}
