"""`python -m benchmarks` is `limbless bench`."""

import sys

from limbless.cli.main import main

main(["bench", *sys.argv[1:]])
