"""`python -m benchmarks`: measure everything (about two minutes), print a table, write docs/performance.md."""
from __future__ import annotations

import argparse
import time

from benchmarks import dynamics, geometric, report, rods, rollouts, snakes, startup, statics
from benchmarks.table import Row, markdown, microseconds

PARTS = ("dynamics", "scaling", "rollouts", "precision", "geometric", "rods", "snakes", "statics", "startup")


def measured(parts: tuple[str, ...]) -> tuple[list[Row], list[rollouts.Curve]]:
    """All rows of these parts, and the curves if they are among them."""
    rows: list[Row] = []
    curves: list[rollouts.Curve] = []
    began = time.perf_counter()
    for part in parts:
        print(f"{time.perf_counter() - began:5.0f} s  {part}", flush=True)
        if part == "dynamics":
            rows += dynamics.forward_rows() + dynamics.inverse_rows() + dynamics.spherical_rows()
        elif part == "scaling":
            rows += dynamics.scaling_rows()
        elif part == "rollouts":
            rows += rollouts.real_time_rows()
        elif part == "precision":
            curves = [rollouts.curve(name) for name in ("eel-planar", "eel-loop")]
            rows += rollouts.precision_rows(curves)
        elif part == "geometric":
            rows += geometric.tensor_rows() + geometric.crawl_rows()
        elif part == "rods":
            rows += rods.rows()
        elif part == "snakes":
            rows += snakes.rows()
        elif part == "statics":
            rows += statics.rows()
        else:
            rows += startup.rows()
    print(f"{time.perf_counter() - began:5.0f} s  done\n")
    return rows, curves


def main() -> None:
    """Only a complete measurement is written down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure these parts and write nothing")
    only = parser.parse_args().only
    rows, curves = measured(tuple(only or PARTS))
    print(markdown(rows))
    if not only:
        report.write(rows, curves, dynamics.public_call(), microseconds(dynamics.peer_with_crba()))
        print(f"\nwritten: {report.DOCUMENT.relative_to(report.ROOT)}")


if __name__ == "__main__":
    main()
