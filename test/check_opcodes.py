"""Checks that the list of opcodes, the runtime's selection macros and the plan format's document
agree.

usage: check_opcodes.py [ROOT]     exit 0 and silence if all is well, 1 and one line per difference
       check_opcodes.py --self-test  tests that a missing or wrong row is found

Checks what a compiler cannot check in runtime/include/tigris_opcodes.def:

* numbers of opcodes, functions and reductions are unique, and so are the rows of kernels;
* every opcode has a reference kernel, every macro that selects rows has a default in
  tigris_config.h, and every macro there selects some;
* the rows of a group are between the #if and #endif of that group;
* the table "Opcodes" of docs/tgrs-format.md agrees with the row of each opcode: number, operands,
  outputs, parameters, dtypes of the kernels, in-place inputs.
"""

import pathlib
import re
import sys

ROW = re.compile(
    r"^TIGRIS_(OPCODE|KERNEL|ADAPTER|FN|REDUCE)\(([^;]*?)\)(?: /\*.*\*/)?$",
    re.MULTILINE | re.DOTALL,
)
LINE = re.compile(
    r"^#if TIGRIS_LISTS\((\w+)\)$|^(#endif)$|^TIGRIS_(KERNEL|OPCODE)\((\w+)", re.MULTILINE
)
DOCUMENTED = re.compile(
    r"^\| (\d+) \| (\w+) \| (.*?) \| (.*?) \| (.*?) \| (.*?) ?\|$", re.MULTILINE
)
IN_PLACE = {"": 0, "x": 1, "a or b": 3, "x or slope": 3, "any": 7}


def rows(text, kind):
    return [
        [word.strip() for word in row.split(",")]
        for found, row in ROW.findall(text)
        if found == kind
    ]


def repeated(what, keys):
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield f"tigris_opcodes.def: {what} {key} is there twice"


def misplaced(text):
    """Rows of kernels outside the #if of their group, and opcodes outside any."""
    group = None
    for opens, closes, kind, name in LINE.findall(text[text.index("opcodes */") :]):
        if opens or closes:
            group = opens or None
        elif kind == "KERNEL" and group != f"KERNEL_{name}":
            yield f"tigris_opcodes.def: a kernel of group {name} stands under {group}"
        elif kind == "OPCODE" and not (group or "").startswith("OPS_"):
            yield f"tigris_opcodes.def: opcode {name} stands under {group}"


def document_differences(name, row, documented, dtypes):
    number, required, most, in_place, outputs, _, params = row[1:8]
    if documented is None:
        yield f"docs/tgrs-format.md: opcode {name} is missing"
        return
    operands, wanted_params, wanted_dtypes, wanted_in_place = documented[2:]
    names = [word.strip() for word in operands.split(";")[0].split(",")]
    is_any = names[-1] == "..."
    wanted = {
        "number": (number, documented[0]),
        "operands": (most, "TIGRIS_ANY_INPUTS" if is_any else str(len(names))),
        "required operands": (required, "1" if is_any else str(sum(n[0] != "[" for n in names))),
        "outputs": (outputs, "2" if "two outputs" in operands else "1"),
        "parameters": (params.replace("tigris_no_params", "none"), wanted_params.split(" ")[0]),
        "in-place inputs": (in_place, str(IN_PLACE.get(wanted_in_place, "?"))),
    }
    for what, (here, there) in wanted.items():
        if here != there:
            yield f"docs/tgrs-format.md: {name}: {what}: {there}, the row of the opcode says {here}"
    for dtype in sorted(dtypes - set(re.findall(r"\w+", wanted_dtypes))):
        yield f"docs/tgrs-format.md: {name}: its kernel of {dtype} is not in the table"


def check(definitions, config, document):
    opcodes, kernels = rows(definitions, "OPCODE"), rows(definitions, "KERNEL")
    yield from repeated("the number of an opcode", [int(row[1]) for row in opcodes])
    yield from repeated(
        "the number of a function", [int(row[1]) for row in rows(definitions, "FN")]
    )
    yield from repeated(
        "the number of a reduction", [int(row[1]) for row in rows(definitions, "REDUCE")]
    )
    yield from repeated("the kernel of", [f"{row[1]} {row[2]}" for row in kernels])
    yield from misplaced(definitions)
    macros = {f"KERNEL_{row[0]}" for row in kernels} | {
        row[0] for row in rows(definitions, "ADAPTER")
    }
    macros |= set(re.findall(r"TIGRIS_LISTS\((\w+)\)$", definitions, re.MULTILINE)) - {"group"}
    for macro in sorted(macros):
        if not re.search(rf"^#ifndef TIGRIS_{macro}\b", config, re.MULTILINE):
            yield f"tigris_config.h: TIGRIS_{macro} has no default"
    defaults = re.findall(r"^#ifndef TIGRIS_((?:KERNEL|CMSIS_NN|OPS)_\w+)", config, re.MULTILINE)
    for macro in sorted(set(defaults) - macros):
        yield f"tigris_opcodes.def: TIGRIS_{macro} of tigris_config.h selects no row"
    table = {found[1]: found for found in DOCUMENTED.findall(document)}
    for row in opcodes:
        dtypes = {kernel[2] for kernel in kernels if kernel[1] == row[0]}
        if not dtypes:
            yield f"tigris_opcodes.def: opcode {row[0]} has no kernel"
        yield from document_differences(
            row[0], row, table.get(row[0]), {d.lower() for d in dtypes} - {"any"}
        )
    for name in sorted(set(table) - {row[0] for row in opcodes}):
        yield f"docs/tgrs-format.md: {name} is no opcode"


def self_test():
    definitions = """/* opcodes */
#if TIGRIS_LISTS(OPS_MAP)
TIGRIS_OPCODE(SPIN, 7, 1, 2, 1, 1, 0,
              tigris_spin_params, tigris_check_spin, ELEMENTS)
#endif
#if TIGRIS_LISTS(KERNEL_MAP)
TIGRIS_KERNEL(MAP, SPIN, F32, tigris_spin_f32)
#endif
"""
    config = "#ifndef TIGRIS_OPS_MAP\n#ifndef TIGRIS_KERNEL_MAP\n"
    document = "| 7 | SPIN | x, [y] | tigris_spin_params (4) | f32 | x |\n"
    assert list(check(definitions, config, document)) == []
    for old, new, message in [
        ("TIGRIS_KERNEL(MAP, SPIN", "TIGRIS_KERNEL(MAP, TURN", "SPIN has no kernel"),
        ("SPIN, F32", "SPIN, S8", "its kernel of s8 is not"),
        ("LISTS(KERNEL_MAP", "LISTS(KERNEL_PAM", "stands under KERNEL_PAM"),
        ("SPIN, 7, 1", "SPIN, 8, 1", "number: 7"),
        ("1, 2, 1, 1", "1, 2, 0, 1", "in-place inputs"),
        ("tigris_spin_params,", "tigris_no_params,", "parameters"),
        ("SPIN, 7", "SPAN, 7", "SPIN is no opcode"),
    ]:
        found = "\n".join(check(definitions.replace(old, new), config, document))
        assert message in found, (message, found)
    assert "no default" in "".join(check(definitions, "#ifndef TIGRIS_OPS_MAP\n", document))
    assert "selects no row" in "".join(
        check(definitions, config + "#ifndef TIGRIS_KERNEL_OLD\n", document)
    )
    assert "twice" in "".join(check(definitions + definitions, config, document))


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    found = list(
        check(
            (root / "runtime/include/tigris_opcodes.def").read_text(),
            (root / "runtime/include/tigris_config.h").read_text(),
            (root / "docs/tgrs-format.md").read_text(),
        )
    )
    if found:
        sys.exit("\n".join(found))


main()
