"""Prints the results of the compiled digit networks: one table per model, read from a demo
directory.

usage: show.py FOLDER MODEL...     FOLDER contains, for each MODEL and digit D, MODEL_D.npy (the
               scores that
tigris-run wrote) and MODEL_D.json (its --stats=json)
"""

import json
import pathlib
import sys

import numpy as np

CASES = pathlib.Path(__file__).resolve().parent / "cases"
SHADES = " .:-=+*#@"


def draw(digit):
    """The image as eight lines of text, each pixel two characters wide."""
    image = np.load(CASES / f"input_{digit}.npy")[0, 0]
    shade = np.round(image * (len(SHADES) - 1)).astype(int)
    return ["".join(SHADES[v] * 2 for v in row) for row in shade]


def main():
    folder, models = pathlib.Path(sys.argv[1]), sys.argv[2:]
    scores = {(m, d): np.load(folder / f"{m}_{d}.npy").ravel() for m in models for d in range(10)}
    answers = {key: int(np.argmax(v)) for key, v in scores.items()}

    for digit in (3, 8):
        print(f"\nthe image of a {digit}, and what each plan made of it:")
        notes = [f"{m}: {answers[m, digit]}  (score {scores[m, digit].max():.2f})" for m in models]
        for number, line in enumerate(draw(digit)):
            note = notes[number - 3] if 0 <= number - 3 < len(notes) else ""
            print(f"    |{line}|  {note}")

    wrong = 0
    for model in models:
        stats = json.loads((folder / f"{model}_0.json").read_text())
        right = sum(answers[model, d] == d for d in range(10))
        wrong += 10 - right
        print(f"\n{model}")
        print("  expected  " + " ".join(str(d) for d in range(10)))
        print("  predicted " + " ".join(str(answers[model, d]) for d in range(10)))
        print(
            f"  fast memory: {stats['measured']['fast_peak_bytes']:,} bytes taken of a budget of "
            f"{stats['budget']['fast']:,}; plan file: {stats['plan_bytes']:,} bytes"
        )
    if wrong:
        sys.exit(f"{wrong} of the images were not recognized")


main()
