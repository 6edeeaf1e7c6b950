"""Reads and checks the data of pages written by tigris-dump --format=html, and prints one line per
plan.

usage: page_data.py FILE...
"""

import json
import re
import sys

for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    plans = json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )
    print(f"{path}: {len(plans)} plan{'s' if len(plans) > 1 else ''}")
    for plan in plans:
        report = plan["report"]
        top = max(step[4] for step in plan["steps"])
        assert top == report["fast_peak_bytes"], "the blocks do not reach the peak"
        assert plan["steps"][plan["peak_step"]][4] == top, "the peak is not at its step"
        assert (
            len(plan["ops"])
            == len(plan["steps"])
            == sum(stage["count"] for stage in plan["stages"])
        )
        for _, _, offset, size, first, last, _ in plan["fast"]:
            assert 0 <= first <= last < len(plan["steps"]) and offset + size <= top
        print(
            f"{report['model']}, {report['form']}: {len(plan['steps'])} steps, "
            f"{len(plan['stages'])} stages, "
            f"top {top} of {report['budget']['fast']}"
        )
