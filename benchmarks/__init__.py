"""Speed of limbless beside other engines: `python -m benchmarks` prints a table and writes docs/performance.md.

Times are thread CPU time, so that other work on the machine does not count; competitors take turns in one process, and the smallest
of many short chunks is kept. Every comparison first checks that both engines give the same answer.
"""
