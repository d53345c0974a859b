"""The project as a set of files: nothing in it belongs to one machine, everything in it
agrees on names and versions.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import limbless
from limbless.core.files import wrapped
from limbless.scenarios.document import read_file

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src" / "limbless"
MODULES = sorted(LIBRARY.rglob("*.py"))

# Written so that no pattern matches its own text: this file is searched too.
FORBIDDEN = {
    "an address of a package registry": re.compile(
        r"pypi\.org|pythonhosted\.org|anaconda\.(?:org|com)|conda\.io|npmjs\.(?:org|com)|://\S*/simpl[e]\b"
        r"|--(?:extra-)?index-ur[l]|--find-link[s]|(?:extra-)?index[-_]ur[l]\s*=|PIP_(?:FIND_LINK|INDE)[SX]",
        re.IGNORECASE,
    ),
    "an absolute path of a machine": re.compile(
        r"(?<![\w.~-])/(?:work|root|farm|home|Users|opt|mnt|scratch|private|tmp)/[\w.-]|"
        r"\b[A-Za-z]:[\\/]{1,2}Users\b|\bfile:/[/]",
    ),
}
LOCK_FILES = {
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "pylock.toml",
    "conda-lock.yml",
    "package-lock.json",
    "yarn.lock",
}


def tracked_files() -> list[Path]:
    """Every file that git tracks and that is still there."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def finds(kind: str, text: str) -> list[str]:
    return [match.group() for match in FORBIDDEN[kind].finditer(text)]


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_tracked_file_contains(kind: str) -> None:
    found = []
    for path in tracked_files():
        for number, line in enumerate(path.read_bytes().decode("latin-1").splitlines(), start=1):
            found += [f"{path.relative_to(ROOT)}:{number}: {text}" for text in finds(kind, line)]
    assert not found, f"{kind} in tracked files:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("an address of a package registry", ("https://", "pypi", ".org/simple/numpy")),
        ("an address of a package registry", ("https://files.python", "hosted.org/x.whl")),
        ("an address of a package registry", ("https://mirror.example/python/", "simple")),
        ("an address of a package registry", ("pip install --index-", "url x")),
        ("an absolute path of a machine", ("see /", "home/ada/limbless")),
        ("an absolute path of a machine", ('"/', "root/x.py")),
        ("an absolute path of a machine", ("-e /", "work/main")),
        ("an absolute path of a machine", ("/", "Users/ada")),
        ("an absolute path of a machine", ("C:\\", "Users\\ada")),
        ("an absolute path of a machine", ("file:", "///x/y")),
    ],
)
def test_patterns_find_what_they_are_for(kind: str, parts: tuple[str, ...]) -> None:
    assert finds(kind, "".join(parts))


@pytest.mark.parametrize(
    "text", ["examples/home/x", "../root/x", "https://example.org/home/x", "rad/s", "~/tmp/x", "#!/usr/bin/env bash"]
)
def test_patterns_leave_innocent_text_alone(text: str) -> None:
    assert not any(finds(kind, text) for kind in FORBIDDEN)


def test_no_lock_file_is_tracked() -> None:
    assert not [path.name for path in tracked_files() if path.name in LOCK_FILES]


def test_constraints_pin_every_direct_dependency() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pins = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in project["dependencies"] + project["optional-dependencies"]["dev"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), f"{path.relative_to(ROOT)} has no docstring"


@pytest.mark.parametrize("name", limbless.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(limbless, name) is not None
    assert name in dir(limbless)


def test_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Centipede'"):
        limbless.Centipede  # noqa: B018


def test_importing_limbless_imports_nothing_heavy() -> None:
    code = "import sys, limbless\n"
    code += "print([m for m in ('numpy', 'numba', 'xarray', 'matplotlib', 'pydantic') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.strip() == "[]"
    )


def test_changelog_and_citation_carry_the_version() -> None:
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    cited = re.search(r"^version: [\"']?([^\"'\s]+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert newest and newest[1] == limbless.__version__
    assert cited and cited[1] == limbless.__version__


def test_every_module_is_tested_where_one_looks_for_it() -> None:
    """By its namesake in the folder of `tests/unit` that mirrors its own, by another test there, or where
    `tests/modules.yaml` says, whose modules and tests exist.
    """
    elsewhere: dict[str, list[str]] = read_file(ROOT / "tests" / "modules.yaml", where="tests/modules.yaml").data
    patterns = [pattern for listed in elsewhere.values() for pattern in listed]
    names = [module.relative_to(LIBRARY).as_posix() for module in MODULES if module.name != "__init__.py"]
    lost = [
        name
        for name in names
        if not any((ROOT / "tests" / "unit" / name).parent.glob("test_*.py"))
        and not any(fnmatch(name, pattern) for pattern in patterns)
    ]
    assert not lost
    assert not [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in names)]
    assert not [name for name in elsewhere if not (ROOT / "tests" / name).is_file()]


def test_lines_are_short() -> None:
    """At most 120 characters, in Markdown too; rows of tables cannot be broken. Code of documents is held to it. ruff
    leaves lines alone that end in one long word or in a note to a checker.
    """
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked_files()
        if path.suffix in (".md", ".py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > 120 and not line.lstrip().startswith("|")
    ]
    assert not found, "lines of more than 120 characters:\n" + "\n".join(found)


def test_generated_pages_are_wrapped() -> None:
    row, code = f"| {'word ' * 40}|", f"    {'word ' * 40}"
    long = "word " * 60 + "end"
    broken = wrapped(f"{long}\n- {long}\n{row}\n{code}\n```\n{long}\n```\n{long}").split("\n")
    assert row in broken and code in broken and broken.count(long) == 1  # the one inside a fence
    assert max(len(line) for line in broken if line not in (row, code, long)) <= 120
    assert " ".join(" ".join(broken).split()).count("end") == 4 and any(line.startswith("  word") for line in broken)


def test_a_run_waits_for_no_package_that_only_its_data_need() -> None:
    """Fresh interpreter to first result: xarray and pandas come when the data set is looked at."""
    code = (
        "import sys, pickle, limbless as ll\nresult = ll.run('eel-planar', {'duration': 0.02})\n"
        "print([m for m in ('xarray', 'pandas', 'matplotlib', 'rich', 'limbless.models.chain.soft.soft_model')\n"
        "       if m in sys.modules])\nprint(pickle.loads(pickle.dumps(result)).summary() == result.summary())"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.split("\n")[:2] == ["[]", "True"], answer.stdout + answer.stderr


def test_no_kernel_takes_more_than_nine_arguments() -> None:
    """What goes together is a named tuple."""
    kernels = [path for path in MODULES if "mechanics" in path.parts]
    long = [
        f"{path.name}: {node.name}"
        for path in kernels
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and len(node.args.args) > 9
    ]
    assert kernels and not long


def test_kernels_say_what_they_take() -> None:
    """What teaches numba, in `compiled`, may go without: numba compares the annotations of an overload."""
    functions = [
        (f"{path.name}: {node.name}", node)
        for path in MODULES
        if "mechanics" in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.args.args
    ]
    bare = [name for name, f in functions if f.returns is None and not any(a.annotation for a in f.args.args)]
    assert functions and len(bare) <= 0.1 * len(functions), bare


def test_few_names_of_mechanics_are_constants() -> None:
    """Codes and tolerances that belong together are a named tuple, columns are fields of a table."""
    found = [
        f"{path.name}: {name.id}"
        for path in MODULES
        if "mechanics" in path.parts
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and name.id.isupper()
    ]
    assert 0 < len(found) < 90, found
