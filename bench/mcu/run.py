#!/usr/bin/env python3
"""Measures inference on emulated Cortex-M processors: instructions, code, memory, stack.

usage: bench/mcu/run.py [--corpus DIR] [--boards m4,m7,..] [--models NAME,..] [--backends NAME,..]
                        [--budgets whole,half,sram,tight] [--baseline FILE] [--update]
                        [--profile DIR]

Builds one firmware image per combination, runs it in QEMU and compares the output bytes with those
of tigris-run on the reference kernels. Instructions are counted by QEMU's virtual clock and are the
same in every run. With a baseline, exits with code 1 if a figure has grown by more than 3 %;
--update rewrites it. --profile writes each plan to DIR, with the calls, output bytes and
instructions of each op; the executor is slower then, and nothing is compared. Exits with code 77 if
the models, the compiler or the emulator are missing. docs/benchmarks.md explains the columns.

Over 500 lines: one program that runs without a package.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 1.03
MODELS = (
    "mlperf_kws_dscnn_int8",
    "mlperf_ic_resnet8_int8",
    "mlperf_vww_mbv1_int8",
    "mlperf_ad_autoencoder_int8",
)
MPS2 = {
    "CODE_BASE": "0x0",
    "CODE_SIZE": "4M",
    "DATA_BASE": "0x20000000",
    "DATA_SIZE": "4M",
    "SLOW_BASE": "0x21000000",
    "SLOW_SIZE": "16M",
}
MPS2_M7 = MPS2 | {"SLOW_BASE": "0x60000000"}
MPS2_M33 = {
    "CODE_BASE": "0x10000000",
    "CODE_SIZE": "4M",
    "DATA_BASE": "0x38000000",
    "DATA_SIZE": "4M",
    "SLOW_BASE": "0x80000000",
    "SLOW_SIZE": "16M",
}
MPS3_M55 = {
    "CODE_BASE": "0x0",
    "CODE_SIZE": "512K",
    "DATA_BASE": "0x20000000",
    "DATA_SIZE": "512K",
    "SLOW_BASE": "0x60000000",
    "SLOW_SIZE": "256M",
}
# name: QEMU machine, compiler flags, memory, planning target with CMSIS-NN
BOARDS = {
    "m0": ("mps2-an385", "-mcpu=cortex-m0plus", MPS2, "cortex-m0"),
    "m3": ("mps2-an385", "-mcpu=cortex-m3", MPS2, "cortex-m0"),
    "m4": ("mps2-an386", "-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16", MPS2, "cortex-m4"),
    "m7": (
        "mps2-an500",
        "-mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-sp-d16",
        MPS2_M7,
        "cortex-m7",
    ),
    "m33": (
        "mps2-an505",
        "-mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16",
        MPS2_M33,
        "cortex-m33",
    ),
    "m55": ("mps3-an547", "-mcpu=cortex-m55 -mfloat-abi=hard", MPS3_M55, "cortex-m55"),
}
# name: header, symbol, sources
BACKENDS = {
    "reference": ("tigris_backend.h", "tigris_backend_reference", []),
    "cmsis-nn": ("tigris_cmsis_nn.h", "tigris_backend_cmsis_nn", ["runtime/backends/cmsis_nn"]),
}


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class Plans:
    """The plans of one model by target and budget, each computed once."""

    def __init__(self, options):
        self.options = options
        self.made = {}

    def tool(self, name):
        return self.options.bin / name

    def normalized(self, model):
        path = self.options.work / f"{model}.norm.yaml"
        imported = self.options.work / f"{model}.yaml"
        if not path.exists():
            run(
                [
                    self.tool("tigris-import"),
                    self.options.corpus / model / "model.onnx",
                    "-o",
                    imported,
                ]
            )
            run([self.tool("tigris-norm"), imported, "-o", path])
        return path

    def smallest(self, model, target, slow):
        """The least fast memory of any plan. The greedy planner needs one stage without slow
        memory."""
        planned = run(
            [
                self.tool("tigris-plan"),
                "--min-fast",
                "-m",
                "64M",
                *slow,
                f"--target={target}",
                self.normalized(model),
            ]
        )
        return int(re.search(r"^  budget: {fast: (\d+)", planned.stdout, re.M)[1])

    def get(self, model, target, budget):
        """(plan file, kernels header, JSON summary, reference output bytes)"""
        key = (model, target, budget)
        if key not in self.made:
            memory = ["-m", self.smallest(model, target, ["--planner=greedy"])]
            if budget == "sram":
                memory = ["--recompute=none"]
                memory += ["-m", self.smallest(model, target, memory)]
            elif budget != "whole":
                least = self.smallest(model, target, ["-m", "16M"])
                half = max(least, memory[1] // 2)
                memory = ["-m", half if budget == "half" else least, "-m", "16M"]
            stem = self.options.work / f"{model}-{target}-{budget}"
            planned, plan = f"{stem}.yaml", pathlib.Path(f"{stem}.tgrs")
            header = pathlib.Path(f"{stem}-kernels.h")
            run(
                [
                    self.tool("tigris-plan"),
                    *memory,
                    f"--target={target}",
                    "--optimize=latency",
                    self.normalized(model),
                    "-o",
                    planned,
                ]
            )
            run([self.tool("tigris-emit"), planned, "-o", plan, f"--kernels-header={header}"])
            self.made[key] = (plan, header, *self.reference(plan, stem))
        return self.made[key]

    def reference(self, plan, stem):
        """Runs the plan on the host's reference kernels with the firmware's input bytes."""
        import numpy

        ports = json.loads(run([self.tool("tigris-dump"), "--format=json", plan]).stdout)
        state, inputs = 1, []
        for port in ports["inputs"]:
            count = 1
            for dim in port["stored_shape"]:
                count *= dim
            data = bytearray()
            for _ in range(count):
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                data.append(state >> 24)
            name = f"{stem}-{port['name'].replace('/', '_').replace(':', '_')}.npy"
            stored = numpy.frombuffer(bytes(data), numpy.int8).reshape(port["stored_shape"])
            # An input that the model takes channels first is stored channels last.
            if stored.ndim > 2 and list(stored.shape) != port["shape"]:
                stored = numpy.ascontiguousarray(numpy.moveaxis(stored, -1, 1))
            numpy.save(name, stored)
            inputs += ["--input", f"{port['name']}={name}"]
        outputs = [f"{stem}-out{i}.npy" for i in range(len(ports["outputs"]))]
        arguments = []
        for i, name in enumerate(outputs):
            arguments += ["--output", f"{i}={name}"]
        stats = run(
            [
                self.tool("tigris-run"),
                plan,
                "--raw",
                "--backend=reference",
                "--stats=json",
                *inputs,
                *arguments,
            ]
        )
        sums = []
        for port, name in zip(ports["outputs"], outputs):
            value = numpy.load(name)
            if value.ndim > 2 and list(value.shape) != port["stored_shape"]:
                value = numpy.moveaxis(value, 1, -1)
            sums.append(checksum(value.tobytes()))
        return json.loads(stats.stdout), sums


def checksum(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


class Builder:
    """Objects and images of one board."""

    def __init__(self, options, board):
        self.options = options
        self.machine, cpu, self.memory, self.target = BOARDS[board]
        self.folder = options.work / board
        self.folder.mkdir(parents=True, exist_ok=True)
        self.flags = [
            "-std=gnu99",
            "-O2",
            "-g0",
            "-mthumb",
            "-masm-syntax-unified",
            *cpu.split(),
            "-ffunction-sections",
            "-fdata-sections",
            "-ffp-contract=off",
            "-DTIGRIS_STATUS_TEXT=0",
            f"-DTIGRIS_PROFILE={int(bool(options.profile))}",
            f"-I{ROOT}/runtime/include",
            f"-I{ROOT}/runtime/src",
            f"-I{ROOT}/runtime/backends/common",
            f"-I{HERE}",
        ]
        if options.cmsis_nn:
            self.flags += ["-isystem", f"{options.cmsis_nn}/Include"]
        self.archives = {}

    def compile(self, source, obj, extra=()):
        obj.parent.mkdir(parents=True, exist_ok=True)
        run([*self.options.cc, *self.flags, *extra, "-c", source, "-o", obj])
        return obj

    def archive(self, name, sources, extra=()):
        """lib<name>.a of the sources; object files keep the name of their part for the size
        table."""
        if name not in self.archives:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = list(
                    pool.map(
                        lambda s: self.compile(s, self.folder / name / f"{s.stem}.o", extra),
                        sources,
                    )
                )
            path = self.folder / f"lib{name}.a"
            path.unlink(missing_ok=True)
            run(["arm-none-eabi-ar", "rcs", path, *objects])
            self.archives[name] = path
        return self.archives[name]

    def link(self, stem, plan, header, backend, fast, slow, ports):
        include, symbol, folders = BACKENDS[backend]
        selection = [f'-DTIGRIS_SELECTION_HEADER="{header}"']
        chosen = [
            *sorted((ROOT / "runtime/src").glob("*.c")),
            *sorted(f for f in (ROOT / "runtime/src").glob("*/*.c") if f.parent.name != "kernels"),
        ]
        archives = []
        for folder in folders:
            files = sorted((ROOT / folder).glob("*.c"))
            part = folder.rsplit("/", 1)[1]
            chosen += [f for f in files if f.name == "backend.c"]
            archives.append(self.archive(part, [f for f in files if f.name != "backend.c"]))
        if folders:
            archives.append(
                self.archive(
                    "vendor",
                    sorted(pathlib.Path(self.options.cmsis_nn).glob("Source/*/*.c")),
                    ["-w"],
                )
            )
        archives.append(
            self.archive(
                f"kernels_{pathlib.Path(header).stem}",
                sorted((ROOT / "runtime/src/kernels").glob("*.c")),
                selection,
            )
        )
        folder = self.folder / stem
        objects = [
            self.compile(c, folder / f"table_{c.parent.name}_{c.stem}.o", selection) for c in chosen
        ]
        objects.append(self.compile(HERE / "board.c", folder / "bench_board.o"))
        objects.append(
            self.compile(
                HERE / "main.c",
                folder / "bench_main.o",
                [
                    *selection,
                    f'-DPLAN_FILE="{plan}"',
                    f"-DFAST_BYTES={fast}",
                    f"-DSLOW_BYTES={slow}",
                    f"-DPORT_BYTES={ports}",
                    f"-DBACKEND={symbol}",
                    f'-DBACKEND_HEADER="{include}"',
                ],
            )
        )
        script = folder / "firmware.ld"
        script.write_text(
            run(
                [
                    "arm-none-eabi-cpp",
                    "-P",
                    "-DSTACK_SIZE=0x4000",
                    *(f"-D{k}={v}" for k, v in self.memory.items()),
                    HERE / "firmware.ld.S",
                ]
            ).stdout
        )
        image, table = folder / "firmware.elf", folder / "firmware.map"
        run(
            [
                self.options.cc[-1],
                *self.flags,
                "-nostartfiles",
                "--specs=nosys.specs",
                "-Wl,--gc-sections",
                f"-Wl,-T,{script}",
                f"-Wl,-Map={table}",
                *objects,
                "-Wl,--start-group",
                *archives,
                "-lm",
                "-lc",
                "-lgcc",
                "-Wl,--end-group",
                "-o",
                image,
            ]
        )
        return image, sizes(table.read_text())

    def execute(self, image):
        command = [
            "qemu-system-arm",
            "-M",
            self.machine,
            "-nographic",
            "-monitor",
            "none",
            "-serial",
            "none",
            "-semihosting-config",
            "enable=on,target=native",
            "-icount",
            "shift=6",
            "-kernel",
            str(image),
        ]
        for _ in range(3):  # QEMU itself crashes occasionally; failing firmware returns a code
            done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
            if done.returncode >= 0:
                break
        if done.returncode != 0:
            raise Failure(
                f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            )
        fields = {"output": [], "ops": []}
        for line in done.stderr.splitlines() + done.stdout.splitlines():
            name, value = line.rsplit(" ", 1)
            if name.startswith("op "):
                fields["ops"].append((*map(int, name.split()[1:]), int(value)))
            elif name == "output":
                fields["output"].append(int(value))
            else:
                fields[name] = int(value)
        return fields


def sizes(text):
    """Code and constants of the linked image by part, from the linker's map."""
    parts = {"core": 0, "kernels": 0, "backend": 0, "other": 0}
    text = text[text.index("Linker script and memory map") :]
    entry = re.compile(
        r"^ (\.(?:text|rodata)\S*)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE
    )
    text = re.sub(r"^( \.\S+)\n\s+0x", r"\1 0x", text, flags=re.MULTILINE)
    for section, size, path in entry.findall(text):
        if section.startswith(".rodata.plan"):
            continue
        if "libkernels_" in path or "table_src_reference" in path:
            part = "kernels"
        elif re.search("table_(src|check|access|exec)_", path):
            part = "core"
        elif "libvendor.a" in path or "libcmsis_nn.a" in path or "table_" in path:
            part = "backend"
        else:
            part = "other"
        if "bench_" not in path:
            parts[part] += int(size, 16)
    return parts


def measure(options, plans, builder, board, backend, model, budget):
    target = builder.target if backend == "cmsis-nn" else "cortex-m"
    plan, header, stats, want = plans.get(model, target, budget)
    # Exactly the memory that the plan requires: a backend that needed more scratch would not start.
    fast = -(-stats["fast_peak_bytes"] // 8) * 8 + stats["kernel_scratch_bytes"]
    slow = max(16, stats["slow_peak_bytes"])
    stem = f"{model}-{backend}-{budget}"
    image, code = builder.link(stem, plan, header, backend, fast, slow, stats["io_bytes"] + 256)
    got = builder.execute(image)
    if got["output"] != want:
        raise Failure(f"{board} {stem}: outputs differ from the reference kernels'")
    scale = 2000000 / got["two_million"]
    if options.profile:
        lines = [
            f"{op} {calls} {size} {round(ticks * scale)}\n" for op, calls, size, ticks in got["ops"]
        ]
        lines.append(f"run {round(got['run'] * scale)}\n")
        options.profile.mkdir(parents=True, exist_ok=True)
        shutil.copy(plan, options.profile / f"{board}-{stem}.tgrs")
        (options.profile / f"{board}-{stem}.txt").write_text("".join(lines))
    return {
        "instructions": round(got["run"] * scale),
        "load": round(got["load"] * scale),
        "core": code["core"],
        "kernels": code["kernels"],
        "backend": code["backend"],
        "libc": code["other"],
        "fast": got["fast_peak"],
        "slow": got["slow_peak"],
        "scratch": got["planned_scratch"],
        "stack": got["stack"],
        "context": got["context"],
    }


def table(results, peers):
    head = [
        "board",
        "model",
        "backend",
        "budget",
        "instructions",
        "of whole",
        "TFLM",
        "ratio",
        "core",
        "kernels",
        "backend",
        "fast",
        "scratch",
        "slow",
        "stack",
    ]
    rows = [head]
    for key, r in results.items():
        board, model, backend, budget = key.split("/")
        peer = peers["instructions"].get(f"{board}/{model}")
        whole = results.get(f"{board}/{model}/{backend}/whole")
        rows.append(
            [
                board,
                model.removeprefix("mlperf_").removesuffix("_int8"),
                backend,
                budget,
                f"{r['instructions']:,}",
                f"{r['instructions'] / whole['instructions']:.2f}" if whole else "",
                f"{peer:,}" if peer else "",
                f"{r['instructions'] / peer:.3f}" if peer else "",
                r["core"],
                r["kernels"],
                r["backend"],
                r["fast"],
                r["scratch"],
                r["slow"],
                r["stack"],
            ]
        )
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(head))]
    for row in rows:
        print(
            "  ".join(
                str(c).rjust(w) if i > 3 else str(c).ljust(w)
                for i, (c, w) in enumerate(zip(row, widths))
            )
        )


def regressions(results, baseline, peers):
    for key, figures in results.items():
        board, model, _, _ = key.split("/")
        peer = peers["code"].get(f"{board}/{model}", math.inf)
        code = figures["core"] + figures["kernels"] + figures["backend"] + figures["libc"]
        if code >= peer:
            yield f"{key}: {code} bytes of code, TensorFlow Lite Micro takes {peer}"
        for name, value in figures.items():
            before = baseline.get(key, {}).get(name)
            if before is not None and value > before * LIMIT + 16:
                yield f"{key}: {name} was {before}, is {value}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("TIGRIS_CORPUS") or ROOT.parent / "shared" / "corpus"
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path(default))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench-mcu")
    parser.add_argument("--cmsis-nn", default=str(ROOT / "build/deps/cmsis-nn"))
    parser.add_argument("--boards", default="m4,m7,m33,m55")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--backends", default="reference,cmsis-nn")
    parser.add_argument("--budgets", default="whole,half,tight")
    parser.add_argument("--baseline", type=pathlib.Path)
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    boards, models = options.boards.split(","), options.models.split(",")
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if not shutil.which(program):
            skip(f"no {program}; scripts/bootstrap.sh test installs it")
    for model in models:
        if not (options.corpus / model / "model.onnx").exists():
            skip(f"no {model} in {options.corpus}; set TIGRIS_CORPUS")
    if "cmsis-nn" in options.backends and not pathlib.Path(options.cmsis_nn, "Include").exists():
        skip(f"no CMSIS-NN in {options.cmsis_nn}; run scripts/fetch_kernels.sh")
    options.cc = (["ccache"] if shutil.which("ccache") else []) + ["arm-none-eabi-gcc"]
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    plans, results = Plans(options), {}
    for board in boards:
        builder = Builder(options, board)
        for model in models:
            for backend in options.backends.split(","):
                for budget in options.budgets.split(","):
                    key = f"{board}/{model}/{backend}/{budget}"
                    results[key] = measure(options, plans, builder, board, backend, model, budget)
    peers = json.loads((HERE / "peers.json").read_text())
    table(results, peers)
    if options.profile:
        return
    path = options.baseline or HERE / "baseline.json"
    baseline = json.loads(path.read_text()) if path.exists() else {}
    if options.update:
        path.write_text(json.dumps(baseline | results, indent=1, sort_keys=True) + "\n")
        return
    grown = list(regressions(results, baseline, peers))
    if grown:
        sys.exit("more than 3 % above the baseline:\n  " + "\n  ".join(grown))


try:
    main()
except Failure as failure:
    sys.exit(str(failure))
