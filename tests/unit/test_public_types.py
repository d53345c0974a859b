"""What type checkers know of the public names: the stub is `_BY_USE`, and every piece of Python that the documents show
is well typed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import limbless
from limbless.core.lazy import homes_of
from tests.unit.test_documents import DOCUMENTS, ROOT, blocks

STRICT = """
[[tool.mypy.overrides]]
module = ["snippets.*"]
check_untyped_defs = true
disallow_any_generics = true
disallow_subclassing_any = true
disallow_untyped_decorators = true
extra_checks = true
implicit_reexport = false
strict_equality = true
warn_return_any = true
warn_unused_ignores = true
"""
"""`--strict` for the snippets alone, so that the library is read from the cache of `make checks`. Functions of
users may be without types.
"""
KNOWN = """import limbless as ll
reveal_type(ll.Rod)
reveal_type(ll.run("eel-planar").dataset)
reveal_type(ll.Rod(length="40 cm", tendons=[{"name": "left"}]).length)
reveal_type(ll.optimise("eel-planar", {}, front=3))
reveal_type(ll.interop.learning.Env)
"""
LIBRARY_MAKERS = {"extending.md": "StandingWave"}
"""Pages with files for inside the library, from the block with this word on: kernels are typed by their tables."""


def test_the_stub_has_the_public_names_and_their_homes() -> None:
    stub = ast.parse((ROOT / "src/limbless/__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    found = {alias.asname: node.module for node in imports for alias in node.names}
    assert found.pop("interop") == "limbless" and found.pop("__version__") == "limbless.core"
    assert list(found.items()) == list(homes_of("limbless", *limbless._BY_USE.values()).items())


def shown(document: Path) -> str:
    """The blocks of a document as one module."""
    texts = blocks(document, "python")
    ends = [number for number, text in enumerate(texts) if LIBRARY_MAKERS.get(document.name, "\0") in text]
    return "\n".join(texts[: ends[0] if ends else None])


def test_snippets_are_strictly_typed_and_public_names_are_known(tmp_path: Path) -> None:
    folder = tmp_path / "snippets"
    folder.mkdir()
    (folder / "known.py").write_text(KNOWN)
    for document in DOCUMENTS:
        if text := shown(document):
            name = str(document.relative_to(ROOT).with_suffix("")).replace("/", "_").replace("-", "_")
            (folder / f"{name}.py").write_text(text)
    config = tmp_path / "pyproject.toml"
    own = (ROOT / "pyproject.toml").read_text().replace('packages = ["limbless"]\n', "")
    own = own.replace('mypy_path = "src"', f'mypy_path = "src:{tmp_path}"')
    config.write_text(own.replace("[[tool.mypy.overrides]]", STRICT + "\n[[tool.mypy.overrides]]", 1))
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--explicit-package-bases", str(folder)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    notes = [line for line in answer.stdout.splitlines() if "Revealed type" in line]
    assert answer.returncode == 0, answer.stdout.replace(str(tmp_path), "")[-6000:]
    expected = ("limbless.robots.rod.Rod", "xarray.core.dataset.Dataset", '"float"', "optimise.Front", "gym_env.Env")
    assert len(notes) == len(expected)
    assert all(word in note for word, note in zip(expected, notes, strict=True)), notes


def test_what_documents_import_is_public() -> None:
    """A user copies what a document shows: it does not lean on where a class lives."""
    for document in DOCUMENTS:
        for node in ast.walk(ast.parse(shown(document))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("limbless."):
                hidden = [alias.name for alias in node.names if alias.name not in limbless.__all__]
                assert not hidden or "interop" in str(node.module), f"{document.name}: {node.module} {hidden}"
