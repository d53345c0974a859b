"""Branches reached, from `coverage json -q -o - | python tests/coverage/branches.py`: the worst files, the total; exit
1 below 90 %.

Branches alone: coverage's own --fail-under counts lines with them, and most lines have no choice.
"""

from __future__ import annotations

import json
import sys
from pathlib import PurePath

LEAST = 90.0
"""Per cent of the branches that tests must reach."""
SHOWN = 15


def missed(file: dict) -> int:
    return int(file["summary"]["num_branches"] - file["summary"]["covered_branches"])


def table(files: dict[str, dict]) -> list[str]:
    """The files that miss most branches, with the lines where these begin and end."""
    worst = sorted((name for name in files if missed(files[name])), key=lambda name: -missed(files[name]))
    rows = []
    for name in worst[:SHOWN]:
        jumps = " ".join(f"{start}->{'exit' if end < 0 else end}" for start, end in files[name]["missing_branches"])
        count, place = files[name]["summary"]["num_branches"], "/".join(PurePath(name).parts[-2:])
        rows.append(f"{missed(files[name]):4d} of {count:4d}  {place}: {jumps}")
    others = sum(missed(files[name]) for name in worst[SHOWN:])
    return [*rows, f"{others:4d} in {max(len(worst) - SHOWN, 0)} other files"]


def main() -> int:
    report = json.load(sys.stdin)
    totals = report["totals"]
    reached, count = totals["covered_branches"], totals["num_branches"]
    share = 100.0 * reached / count
    print("== branches that no test reaches", *table(report["files"]), sep="\n")
    print(f"== {reached} of {count} branches reached: {share:.1f} % (at least {LEAST:g} %)")
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
