"""Random models of chosen operators: one small branch with a separate model output for each.

Operators and the types they must be tried in come from lib/IR/Ops.def. Every entry has a function
that adds it to a model, in the class of its family; types that cannot be tested are in NOT_TRIED
with the reason.
"""

import pathlib
import re

import numpy as np
import onnx
from onnx import TensorProto, helper

from dense_operators import DenseOperators
from graph_maker import used_part
from movement_operators import MovementOperators
from pointwise_operators import PointwiseOperators

OPS_DEF = pathlib.Path(__file__).resolve().parent.parent.parent / "lib" / "IR" / "Ops.def"
# {(kind, type) of Ops.def: why no ONNX model leads to it}
NOT_TRIED = {
    ("Cast", "s8"): "casts convert plain integers, those of run_types.py",
    ("Cast", "s16"): "likewise",
}
# Operators, and types of others, that come from TensorFlow Lite models only; random_tflite.py runs
# them.
NOT_ONNX = {"IntegerLSTM", "SVDF", "DetectionPostProcess"}
NOT_ONNX |= {"IntegerPRelu", "SquaredDifference", "Rsqrt"}
NOT_ONNX |= {("Softmax", "s16"), ("ReduceSum", "s8"), ("ReduceSum", "s16"), ("Requantize", "int")}
FAMILIES = {
    "f32": ["f32"],
    "s8": ["s8"],
    "s16": ["s16"],
    "int": ["int"],
    "bool": ["bool"],
    "any": ["f32", "s8", "s16", "int", "bool"],
}


# Rows of a family omit what is common to the family: name of the macro -> category and types.
SHORT_ROWS = {"TIGRIS_FUNCTION": ("Pointwise", "f32 s8 s16"), "TIGRIS_REDUCTION": ("Dense", None)}


def listed_operators():
    """[(kind, category, [types])] of Ops.def, in its order."""
    found = []
    for macro, kind, second, types in re.findall(
        r'^(TIGRIS_OP|TIGRIS_FUNCTION|TIGRIS_REDUCTION)\((\w+),\s*("[^"]*"|\w+)(?:, "([^"]*)")?',
        OPS_DEF.read_text(),
        re.MULTILINE,
    ):
        if kind in NOT_ONNX:
            continue
        category, all_types = SHORT_ROWS.get(macro, (second, None))
        words = (all_types or types).split()
        every = [t for word in words for t in FAMILIES[word]]
        found.append((kind, category, [t for t in every if (kind, t) not in NOT_ONNX]))
    return found


UNARY = {  # kind: the input with values for which it is defined
    "Relu": "x",
    "LeakyRelu": "x",
    "Elu": "x",
    "Selu": "x",
    "Celu": "x",
    "Sigmoid": "x",
    "Tanh": "x",
    "HardSigmoid": "x",
    "HardSwish": "x",
    "Softplus": "x",
    "Softsign": "x",
    "Mish": "x",
    "Gelu": "x",
    "Erf": "x",
    "Exp": "x",
    "Log": "p",
    "Sqrt": "p",
    "Reciprocal": "p",
    "Neg": "x",
    "Abs": "x",
    "Sign": "x",
    "Floor": "x",
    "Ceil": "x",
    "Round": "x",
    "Sin": "x",
    "Cos": "x",
    "Tan": "u",
    "Asin": "u",
    "Acos": "u",
    "Atan": "x",
    "Sinh": "x",
    "Cosh": "x",
    "Asinh": "x",
    "Acosh": "p",
    "Atanh": "u",
    "ThresholdedRelu": "x",
    "Shrink": "x",
    "Identity": "x",
}
# A small error of the operand may cause a large error of the result, so these read model inputs
# only.
JUMPS = {"Sign", "Floor", "Ceil", "Round", "ThresholdedRelu", "Shrink"}
REDUCTIONS = [
    "ReduceMean",
    "ReduceSum",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSum",
    "ReduceLogSumExp",
]


class OperatorMaker(PointwiseOperators, DenseOperators, MovementOperators):
    """Adds any operator of Ops.def."""

    def operator(self, kind, family):
        if kind in UNARY:
            exact = kind in JUMPS
            x = self.source(family, name=UNARY[kind], exact=exact)
            attributes = {
                "ThresholdedRelu": {"alpha": 0.3},
                "Shrink": {"lambd": 0.4, "bias": 0.2},
                "LeakyRelu": {"alpha": 0.2},
                "Elu": {"alpha": 0.7},
            }.get(kind, {})
            if kind == "Gelu":
                self.opset = max(self.opset, 20)
                attributes = {"approximate": self.pick("none", "tanh")}
            self.add(kind, [x], **attributes)
        elif kind in REDUCTIONS:
            logs = kind in ("ReduceLogSum", "ReduceProd")
            x = self.source(family, rank=int(self.rng.integers(2, 5)), name="p" if logs else "x")
            axes = sorted({int(a) for a in self.rng.integers(0, len(self.shapes[x]), 2)})
            if kind == "ReduceProd":
                axes = [int(np.argmin(self.shapes[x]))]
            self.add(kind, [x, self.ints(*axes)], keepdims=int(self.rng.integers(2)))
        else:
            getattr(self, "make_" + kind)(family)

    def finish(self):
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.FLOAT, self.input_shape) for n in "xpu"
        ]
        graph = helper.make_graph(
            self.nodes,
            "operators",
            inputs,
            [onnx.ValueInfoProto(name=name) for name in self.results],
            self.constants,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10
        )
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        used = {name for node in model.graph.node for name in node.input}
        kept = [i for i in model.graph.input if i.name in used]
        del model.graph.input[:], model.graph.value_info[:]
        model.graph.input.extend(kept)
        return used_part(model)


def samples(model, seed, count=1):
    """Values for the inputs of a model of OperatorMaker."""
    rng = np.random.default_rng([seed, 7])
    draw = {
        "x": lambda shape: rng.normal(0, 1.5, shape),
        "p": lambda shape: rng.uniform(1.2, 4, shape),
        "u": lambda shape: rng.uniform(-0.95, 0.95, shape),
    }
    shapes = {
        i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input
    }
    return [
        {n: draw[n](shape).astype(np.float32) for n, shape in shapes.items()} for _ in range(count)
    ]


def operator_model(seed, wanted, quantized):
    """A model with every (kind, type) in `wanted`."""
    maker = OperatorMaker(seed, quantized)
    for kind, family in wanted:
        maker.operator(kind, family)
    return maker.finish()
