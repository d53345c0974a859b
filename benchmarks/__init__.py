"""Speed of limbless beside other engines: `limbless bench` prints the tables and writes docs/benchmark.md.

Times are thread CPU time, so that other work on the machine does not count; competitors take turns in one process, and
the smallest of many short chunks is kept. Every comparison first checks that both engines give the same answer.

A part of the benchmark is a module here with `rows() -> list[Row]`, or `section() -> Section` where text or a picture
goes with them; its docstring's first sentence is the heading. `command.PARTS` gives their order.
"""
