"""Reads modules with PyYAML, an independent YAML reader, and checks that it sees the intended
values.

usage: read_with_pyyaml.py MODULE...    exit 0 if all is well, 77 (skipped) without PyYAML

Names must be strings, small arrays must be numbers, and base64 data must be bytes of the stated
size and CRC-32.
"""

import sys
import zlib

try:
    import yaml
except ImportError:
    sys.exit(77)

SIZES = {
    "float32": 4,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "int64": 8,
    "bool": 1,
    "float16": 2,
    "float64": 8,
    "int4": 1,
    "uint4": 1,
}


def check_blob(blob):
    assert isinstance(blob["name"], str), blob["name"]
    if "values" in blob:
        assert len(blob["values"]) <= 16
        assert all(type(value) in (int, float) for value in blob["values"]), blob
    elif "data" in blob:
        assert isinstance(blob["data"], bytes), type(blob["data"])
        assert len(blob["data"]) == blob["bytes"], blob["name"]
        assert f"{zlib.crc32(blob['data']):08x}" == blob["crc32"], blob["name"]


def check_stream(text):
    documents = list(yaml.safe_load_all(text))
    graph = documents[0]
    assert graph["tigris"] == "graph/1"
    blobs = {}
    if len(documents) > 1:
        assert documents[1]["tigris"] == "weights/1"
        blobs = {blob["name"]: blob for blob in documents[1]["blobs"]}
        for blob in blobs.values():
            check_blob(blob)
    tensors = {}
    for tensor in graph["tensors"]:
        assert isinstance(tensor["name"], str), tensor
        tensors[tensor["name"]] = tensor
        if tensor.get("const"):
            elements = 1
            for dimension in tensor["shape"]:
                elements *= dimension
            blob = blobs[tensor["name"]]
            if "values" in blob:
                assert len(blob["values"]) == elements, tensor
            else:
                assert blob["bytes"] == elements * SIZES[tensor["type"]], tensor
        for array in tensor.get("quant", {}).values():
            assert not isinstance(array, str) or array in blobs, tensor
    for op in graph["ops"]:
        assert isinstance(op["op"], str) and isinstance(op["name"], str), op
        for name in op.get("in", []) + op.get("out", []):
            assert name is None or name in tensors, (op, name)
        assert all(isinstance(key, str) for key in op.get("attrs", {})), op
        assert all(isinstance(origin, str) for origin in op.get("origin", [])), op
    for stage in graph.get("plan", {}).get("stages", []):
        assert all(any(op["name"] == name for op in graph["ops"]) for name in stage["ops"]), stage


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            check_stream(file.read())


main()
