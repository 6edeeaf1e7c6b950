"""Checks that every #include follows the layer table, and that libraries are used only in their
layers.

usage: check_layering.py [ROOT]     exit 0 and silence if all is well, 1 and one line per breach
       check_layering.py --self-test  tests that the rules detect breaches

The tables below are the rules; docs/architecture.md explains them.
"""

import pathlib
import re
import sys

# layer -> the layers of lib/ that it may include besides itself. Support is at the bottom, Driver
# at the top.
LAYERS = {
    "Support": set(),
    "IR": {"Support"},
    "Serialize": {"Support", "IR", "Analysis"},
    "Pass": {"Support", "IR"},
    "Analysis": {"Support", "IR"},
    "Transforms": {"Support", "IR", "Pass", "Analysis"},
    "Import": {"Support", "IR", "Analysis"},
    "Quantize": {"Support", "IR", "Pass", "Transforms"},
    "Target": {"Support", "IR"},
    "Plan": {"Support", "IR", "Analysis", "Target"},
    "Check": {"Support", "IR", "Analysis"},
    "Emit": {"Support", "IR", "Analysis", "Target", "Check"},
    "Inspect": {"Support", "IR", "Analysis", "Check"},
    "Compile": {
        "Support",
        "IR",
        "Serialize",
        "Pass",
        "Analysis",
        "Transforms",
        "Import",
        "Target",
        "Plan",
        "Check",
        "Emit",
    },
    "Driver": {
        "Support",
        "IR",
        "Serialize",
        "Pass",
        "Analysis",
        "Transforms",
        "Import",
        "Target",
        "Plan",
        "Check",
        "Emit",
        "Compile",
        "Inspect",
        "Quantize",
    },
}
# Layers with folders: folder -> the folders of that layer that it may include besides itself. None
# represents the files beside the folders, "*" represents folders without a row.
FOLDERS = {
    "Import": {None: set(), "*": {None}},
    "Driver": {"CommandLine": set(), "Host": set(), "Tools": {"CommandLine", "Host"}},
}
# Layers whose folders no other layer includes.
PRIVATE_FOLDERS = {"Import"}
# What the mains of tools/ and the plugins may include.
TOOLS = {"Support", "Driver"}
PLUGINS = {"Support", "IR", "Analysis", "Pass"}

# Headers of the runtime that the compiler may include, by layer: Target computes scratch with them;
# Emit and Inspect share the file format; Inspect and Compile also call the runtime's validator;
# Driver also executes plans.
RUNTIME_HEADERS = {
    "Target": {"tigris_scratch.h"},
    "Emit": {"tigris_format.h"},
    "Compile": {"tigris.h"},
    "Inspect": {"tigris_format.h", "tigris_opcodes.def", "tigris.h"},
    "Driver": {
        "tigris_format.h",
        "tigris_opcodes.def",
        "tigris.h",
        "tigris_backend.h",
        "tigris_host.h",
        "tigris_cmsis_nn.h",
        "tigris_esp_nn.h",
    },
}

# runtime/backends/<folder> -> prefix of the names of its vendor's headers.
VENDORS = {"cmsis_nn": r"arm_nn", "esp_nn": r"esp_nn|common_functions"}

# include prefix -> the layers, or folders of layers, that may use the library. The longest matching
# prefix decides.
THIRD_PARTY = {
    "yaml-cpp/": {"Serialize"},
    "onnx/": {"Import/Onnx"},
    "google/protobuf/": {"Import/Onnx"},
    "flatbuffers/": {"Import/Tflite"},
    "tflite/": {"Import/Tflite"},
    "boost/": {"Analysis", "Plan"},
    "boost/program_options": {"Driver/CommandLine"},
    "lz4": {"Emit", "Inspect"},
    "doctest/": set(),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".h", ".c", ".cpp", ".def"}


def folder_rule(layer, folder):
    """What the folder may include besides itself; None if the table does not allow the folder."""
    table = FOLDERS[layer]
    if folder is None:
        return table.get(None, set())
    return table.get(folder, table.get("*"))


def check_folders(layer, folder, name):
    """Breach of the rules between the folders of a layer. `folder` is None for a file beside
    them."""
    parts = name.split("/")
    target = parts[2] if len(parts) > 3 else None
    if folder_rule(layer, target) is None:
        return f"'{layer}/{target}' is not in the folder table"
    if target != folder and target not in folder_rule(layer, folder):
        return f"may not include {layer}/{target or '*.h'}"
    return None


def check_lib(layer, folder, allowed, bracket, name):
    """Breach of the rules for a file of lib/LAYER/FOLDER (FOLDER is None beside the folders; in
    tools/ and plugins/ both are None)."""
    if name.startswith("tigris/"):
        target, *inner = name.split("/")[1:]
        if target not in LAYERS:
            return f"'{target}' is no layer"
        if target != layer and target not in allowed:
            return f"may not include the layer {target}"
        if target != layer and len(inner) > 1 and target in PRIVATE_FOLDERS:
            return f"only {target} may include its folder"
        return check_folders(layer, folder, name) if target == layer and layer in FOLDERS else None
    prefix = max((p for p in THIRD_PARTY if name.startswith(p)), key=len, default=None)
    if prefix is not None:
        return (
            None
            if {layer, f"{layer}/{folder}"} & THIRD_PARTY[prefix]
            else f"may not use the library behind {prefix}"
        )
    if name.startswith("tigris"):
        return None if name in RUNTIME_HEADERS.get(layer, set()) else "may not include the runtime"
    if bracket == '"':
        return 'headers of this project are spelled "tigris/Layer/File.h"'
    return None


def check_runtime(parts, bracket, name, own_headers):
    """Breach of the rules for a file of runtime/: it may include only its own headers and the C
    library. A backend may also include the headers of its vendor."""
    if parts[1] == "backends" and re.match(VENDORS.get(parts[2], "$"), name):
        return None
    if bracket == '"':
        return (
            None
            if pathlib.PurePosixPath(name).name in own_headers
            else ("the runtime includes its own headers only")
        )
    return None if re.fullmatch(r"[a-z0-9_]+\.h", name) else "the runtime uses the C library only"


def check_text(path, text, own_headers=frozenset()):
    """Yields (line, message) for every breach in the file `path` (relative to the root)."""
    parts = pathlib.PurePosixPath(path).parts
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        if parts[0] == "runtime":
            message = check_runtime(parts, bracket, name, own_headers)
        elif parts[0] == "lib":
            folder = parts[2] if len(parts) > 3 else None
            if parts[1] not in LAYERS:
                message = f"lib/{parts[1]} is not in the layer table"
            elif parts[1] in FOLDERS and folder_rule(parts[1], folder) is None:
                message = f"lib/{parts[1]}/{folder} is not in the folder table"
            else:
                message = check_lib(parts[1], folder, LAYERS[parts[1]], bracket, name)
        elif parts[0] == "tools":
            message = check_lib(None, None, TOOLS, bracket, name)
        else:
            message = check_lib(None, None, PLUGINS, bracket, name)
        if message:
            yield text.count("\n", 0, match.start(2)) + 1, f"includes {name}: {message}"


def check_tree(root):
    """All breaches below `root`, as printable lines in path order."""
    own_headers = {p.name for p in (root / "runtime").rglob("*") if p.suffix in (".h", ".def")}
    for folder in ("lib", "tools", "plugins", "runtime"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                name = path.relative_to(root).as_posix()
                for line, message in check_text(name, path.read_text(), own_headers):
                    yield f"{name}:{line}: {message}"


def self_test():
    bad = [
        ("lib/Support/A.h", '#include "tigris/IR/Graph.h"'),
        ("lib/IR/A.cpp", "#include <yaml-cpp/yaml.h>"),
        ("lib/Plan/A.cpp", "#include <boost/program_options.hpp>"),
        ("lib/Driver/A.cpp", "#include <boost/graph/adjacency_list.hpp>"),
        ("lib/Transforms/A.cpp", "#  include <onnx/onnx_pb.h>"),
        ("lib/Driver/A.cpp", "#include <google/protobuf/message.h>"),
        ("lib/IR/A.cpp", '#include "Graph.h"'),
        ("lib/Emit/A.cpp", '#include "tigris.h"'),
        ("lib/Inspect/A.cpp", '#include "tigris/Emit/Writer.h"'),
        ("lib/Check/A.cpp", '#include "tigris/Plan/Planner.h"'),
        ("lib/Emit/A.cpp", '#include "tigris/Plan/Planner.h"'),
        ("lib/Import/A.cpp", "#include <onnx/onnx_pb.h>"),
        ("lib/Import/A.cpp", '#include "tigris/Import/Onnx/OnnxImporter.h"'),
        ("lib/Driver/Tools/A.cpp", '#include "tigris/Import/Onnx/OnnxImporter.h"'),
        ("lib/Compile/A.cpp", '#include "tigris/Import/Toy/ToyReader.h"'),
        ("lib/Import/Toy/A.cpp", '#include "tigris/Import/Onnx/OnnxImporter.h"'),
        ("lib/Import/Toy/A.cpp", "#include <onnx/onnx_pb.h>"),
        ("lib/Compile/A.cpp", '#include "tigris/Driver/Host/Npy.h"'),
        ("lib/Compile/A.cpp", '#include "tigris/Inspect/PlanFile.h"'),
        ("lib/Quantize/A.cpp", '#include "tigris/Compile/Compiler.h"'),
        ("lib/Driver/Host/A.cpp", "#include <boost/program_options.hpp>"),
        ("lib/Driver/Host/A.cpp", '#include "tigris/Driver/Tools/RunTool.h"'),
        ("lib/Driver/CommandLine/A.cpp", '#include "tigris/Driver/Host/Npy.h"'),
        ("lib/Driver/Tools/A.cpp", '#include "tigris/Driver/Nowhere/A.h"'),
        ("lib/Driver/Nowhere/A.cpp", "#include <vector>"),
        ("lib/Nowhere/A.cpp", "#include <vector>"),
        ("tools/x/main.cpp", '#include "tigris/IR/Graph.h"'),
        ("plugins/x/P.cpp", '#include "tigris/Transforms/Passes.h"'),
        ("runtime/src/a.c", '#include "tigris/IR/Plan.h"'),
        ("runtime/src/a.c", "#include <sys/mman.h>"),
        ("runtime/src/a.c", '#include "arm_nnfunctions.h"'),
    ]
    good = [
        ("lib/IR/A.cpp", '#include "tigris/Support/Expected.h"\n#include <vector>'),
        ("lib/Emit/A.cpp", '#include "tigris_format.h"'),
        (
            "lib/Driver/CommandLine/A.cpp",
            "#include <boost/program_options/options_description.hpp>",
        ),
        (
            "lib/Driver/Tools/A.cpp",
            '#include "tigris/Driver/Host/Npy.h"\n#include "tigris/Check/PlanChecker.h"',
        ),
        ("lib/Import/Onnx/A.cpp", "#include <onnx/onnx_pb.h>\n#include <google/protobuf/arena.h>"),
        ("lib/Import/Onnx/A.cpp", '#include "tigris/Import/Importer.h"'),
        ("lib/Import/Toy/A.cpp", '#include "tigris/Import/Toy/ToyReader.h"'),
        ("lib/Compile/A.cpp", '#include "tigris/Plan/Search/A.h"\n#include "tigris.h"'),
        ("lib/Plan/Search/A.cpp", '#include "tigris/Plan/Layout/ArenaLayout.h"'),
        ("tools/x/main.cpp", '#include "tigris/Driver/Tools/RunTool.h"'),
        ("runtime/src/a.c", '#include "own.h"\n#include <string.h>'),
        ("runtime/backends/cmsis_nn/a.c", '#include "arm_nnfunctions.h"'),
    ]
    for path, text in bad:
        assert list(check_text(path, text, {"own.h"})), f"not caught: {path}: {text}"
    for path, text in good:
        assert not list(check_text(path, text, {"own.h"})), f"refused: {path}: {text}"


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    breaches = list(check_tree(root))
    if breaches:
        sys.exit("\n".join(breaches))


main()
