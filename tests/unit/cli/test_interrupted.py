"""Ctrl-C wherever it comes: exit code 130 and no traceback. In processes of their own, which end."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Under nohup the signal is ignored, and children inherit that
BEGIN = """import os, signal, sys, limbless.__main__ as program
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ['limbless', 'list', 'models']
"""
PRESS = "os.kill(os.getpid(), signal.SIGINT)"
PLACES = {
    "while the commands are imported": f"""
class Finder:
    def find_spec(self, name, path, target=None):
        if name == 'limbless.cli.main':
            {PRESS}
sys.meta_path.insert(0, Finder())
""",
    "inside an exec": """
import limbless.cli.main
def commands(**named):
    exec("raise KeyboardInterrupt")
limbless.cli.main.main = commands
""",
    "while words are read": f"""
import click
def parse_args(self, ctx, args):
    {PRESS}
click.Group.parse_args = parse_args
""",
    "while a command runs": f"""
import limbless.cli.listing as listing
listing.list_.callback = lambda **named: {PRESS}
""",
    "at a question": """
import click
import limbless.cli.listing as listing
def asked(**named):
    raise click.Abort
listing.list_.callback = asked
""",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others here")
@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_ends_with_130_and_no_traceback(place: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + PLACES[place] + "program.main()"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr in ("", "Interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others here")
def test_ctrl_c_as_it_leaves_changes_nothing() -> None:
    late = f"import atexit\natexit.register(lambda: {PRESS})\nprogram.main()"
    done = subprocess.run([sys.executable, "-c", BEGIN + late], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "newton-euler" in done.stdout
