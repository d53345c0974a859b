"""The program: what `limbless` and `python -m limbless` start."""

from __future__ import annotations

import io
import signal
import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it with 130 and no traceback, also while it is imported and as it leaves."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a pipe on Windows does not know every letter: it gets ? for others
            stream.reconfigure(errors="replace")
    try:
        from limbless.cli.main import main as commands

        commands(prog_name="limbless")
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        exec("")  # Python notes a Ctrl-C that left an `exec`, and would end by its signal in place of our exit code
        from limbless.core import skip_last_collection

        skip_last_collection()


if __name__ == "__main__":
    main()
