"""`python -m limbless`: the command line, where the command `limbless` is not on the path."""

from limbless.cli.main import main

main(prog_name="limbless")
