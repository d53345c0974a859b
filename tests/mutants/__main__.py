"""Put each misprint back and see its test fail: `python tests/mutants [name ...]`, from the root of the project.

Kernels run as plain Python here (nothing is compiled), so a mutant costs a second: every mutant gets the library
imported afresh, with one file changed in memory, and runs its test in this process. First all these tests run on the
library as it is, and must pass.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "plain"))

import plain_kernels
import pytest
from table import HELPERS, MUTANTS, Mutant

ROOT = Path(__file__).parents[2]


class Changed(importlib.abc.MetaPathFinder):
    """Finds one module with other text; all others are found as always."""

    def __init__(self, mutant: Mutant) -> None:
        self.module = "limbless." + mutant.file.removesuffix(".py").replace("/", ".")
        self.path = ROOT / "src" / "limbless" / mutant.file
        text = self.path.read_text(encoding="utf-8")
        if text.count(mutant.correct) != mutant.times:
            raise SystemExit(
                f"{mutant.name}: its text occurs {text.count(mutant.correct)} times in {mutant.file}, "
                f"not {mutant.times}"
            )
        self.text = text.replace(mutant.correct, mutant.printed) + HELPERS.get(mutant.name, "")

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.module:
            return None
        loader = _TextLoader(name, str(self.path), self.text)
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


class _TextLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Witness:
    """Pytest plugin: keeps the type of each failure, so that a mutant that merely crashes does not count as killed."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> None:
        if call.excinfo is not None:
            self.failures.append(call.excinfo.typename)


@contextlib.contextmanager
def fresh_library(mutant: Mutant | None) -> Iterator[None]:
    """limbless and the tests forgotten, then importable again, with the change in place and kernels
    able to run as plain Python.
    """
    for name in [name for name in sys.modules if name.split(".")[0] in ("limbless", "tests", "validation")]:
        del sys.modules[name]
    finder = [Changed(mutant)] if mutant else []
    sys.meta_path[:0] = finder
    opened: Any = Path.open
    if mutant and not mutant.file.endswith(".py"):  # a file of data: whoever reads it finds the other text
        other = finder[0].text.encode()

        def open_other(path: Path, *how: Any, **more: Any) -> Any:
            return io.BytesIO(other) if path.resolve() == finder[0].path else opened(path, *how, **more)

        Path.open = open_other  # type: ignore[method-assign]
    try:
        plain_kernels.install()
        yield
    finally:
        Path.open = opened  # type: ignore[method-assign]
        for item in finder:
            sys.meta_path.remove(item)


def run(mutant: Mutant | None, tests: list[str]) -> tuple[int, list[str], str]:
    """Exit code of pytest, types of failures, and what it printed."""
    witness, output = Witness(), io.StringIO()
    with fresh_library(mutant), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main(
            ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}", *tests], plugins=[witness]
        )
    return int(code), witness.failures, output.getvalue()


def verdict(mutant: Mutant) -> str:
    """killed, survived, or crashed with the failures that showed it."""
    code, failures, output = run(mutant, [mutant.killer])
    if code == 0:
        return "survived"
    if code == 1 and set(failures) == {"AssertionError"}:
        return "killed"
    return f"crashed: {failures or output[-2000:]}"


def main() -> int:
    os.chdir(ROOT)
    chosen = [mutant for mutant in MUTANTS if mutant.name in sys.argv[1:] or len(sys.argv) == 1]
    code, _, output = run(None, sorted({mutant.killer for mutant in chosen}))
    if code != 0:
        print(output)
        print("the tests do not pass on the library as it is: nothing can be said about mutants")
        return 2
    print("unchanged\tpass", flush=True)
    alive = 0
    for mutant in chosen:
        found = verdict(mutant)
        alive += found != "killed"
        print(f"{mutant.name}\t{found}\t{mutant.killer}", flush=True)
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())
