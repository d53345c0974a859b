"""Pages of the site that repeat the code, written while it is built (a hook of mkdocs): kinds and their fields,
commands, public Python names, examples, papers, their equations with code and tests, the files of the root; and links
that lead out of this folder.

A page that nobody has put into the navigation is listed under "More", so that none is lost.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

import limbless
from limbless.cli.main import main
from limbless.core import citations, fields, registry
from limbless.view import terminal

sys.path.insert(0, str(Path(__file__).parent))
import equations

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.yaml")])
ROLES = ("wrench", "friction", "contact", "constraint", "clamp", "load")
MATRIX = "<!-- matrix of models: written by docs/site_pages.py -->"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    made = {
        "reference/kinds.md": kinds(),
        "reference/commands.md": commands(),
        "reference/api.md": names(),
        "reference/examples.md": examples(),
        "reference/citing.md": citing(),
        "contributing.md": of_the_root("CONTRIBUTING.md"),
        "changelog.md": of_the_root("CHANGELOG.md"),
        **{f"reference/equations/{model}.md": equations.page(model) for model in equations.table()},
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_nav(nav: Any, config: Any, files: Files) -> Any:
    """Pages that no line of the navigation names."""
    from mkdocs.structure.nav import Section
    from mkdocs.structure.pages import Page

    lost = [file for file in files.documentation_pages() if file.page is None]
    if lost:
        pages = [Page(None, file, config) for file in lost]
        nav.items.append(Section("More", pages))
        nav.pages += pages
    return nav


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links that lead out of the folder, and those of equations."""
    up = "../" * page.file.src_uri.count("/")
    text = re.sub(r"\]\((?:\.\./)+examples/(\w+)\.(?:py|ipynb)\)", rf"]({up}reference/examples.md#\1)", markdown)
    text = re.sub(r"\]\((?:\.\./)+examples\)", f"]({up}reference/examples.md)", text)
    text = re.sub(r"\]\((?:\.\./)+CONTRIBUTING\.md", f"]({up}contributing.md", text)
    text = re.sub(r"\]\((?:\.\./)+CHANGELOG\.md", f"]({up}changelog.md", text)
    model = Path(page.file.src_uri).stem
    if page.file.src_uri.startswith("models/") and model in equations.table():
        text = equations.linked(text, model).replace("](../equations.yaml)", f"](../reference/equations/{model}.md)")
    return text


def of_the_root(name: str) -> str:
    """A page of the repository's root, as a page beside the others."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
    return text.replace("](CONTRIBUTING.md", "](contributing.md").replace("](CHANGELOG.md", "](changelog.md")


def matrix() -> str:
    """Models against what they take, from their own settings."""
    models = registry.kinds("model")
    rows = [("robots", "takes_robots"), ("gaits drive", "takes_drives"), ("actuation", "takes_actuations")]
    lines = [f"| | {' | '.join(f'`{name}`' for name in models)} |", f"|---|{'---|' * len(models)}"]
    for words, attribute in rows:
        cells = [", ".join(getattr(model, attribute)) or "–" for model in models.values()]
        lines.append(f"| **{words}** | {' | '.join(cells)} |")
    for kind, cls in registry.kinds("environment").items():
        roles = {cls.role, *cls.also} if isinstance(cls.role, str) else {*ROLES[:2], *cls.also}
        cells = ["yes" if roles & set(model.takes_roles) else "" for model in models.values()]
        lines.append(f"| `{kind}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def with_matrix(text: str) -> str:
    """A page whose matrix of models is that of the code: what stands between its mark and the next heading."""
    before, _, behind = text.partition(MATRIX)
    return f"{before}{MATRIX}\n\n{matrix()}\n\n##{behind.partition('##')[2]}"


def kinds() -> str:
    """Every kind with its fields: what `limbless describe` shows."""
    lines = ["# All kinds and fields", "", "Written from the code: the same that `limbless describe NAME` shows.", ""]
    for heading, family in terminal.FAMILIES.items():
        lines += [f"## {heading.capitalize()}", ""]
        for kind, cls in registry.kinds(family).items():
            if cls.__module__.startswith("limbless."):
                lines += [f"### {kind}", "", _escaped(inspect.getdoc(cls) or ""), "", *_table(cls), ""]
                for inner in fields.nested(cls):
                    lines += [f"**{inner.__name__}**: {_escaped(terminal.first_line(inner))}", "", *_table(inner), ""]
    return "\n".join(lines)


def _table(cls: Any) -> list[str]:
    rows = [
        f"| `{row.name}` | {_cell(row.type)} | {_cell(row.unit)} | {_cell(_short(row.default))} | "
        f"{_cell(row.meaning)} |"
        for row in fields.rows(cls)
    ]
    return ["| field | type | unit | default | meaning |", "|---|---|---|---|---|", *rows]


def _short(default: str) -> str:
    return default if len(default) < 80 else default[:77] + "..."


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|").replace("\n", " ")


def _escaped(text: str) -> str:
    return re.sub(r"([<>*_\[\]])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", text)


def commands() -> str:
    """What every command says of itself."""
    lines = ["# Commands", "", "Written from the code: the same that `limbless COMMAND --help` shows.", ""]
    context = click.Context(main, info_name="limbless", max_content_width=100)
    for name in main.list_commands(context):
        command = main.commands[name]
        inside = click.Context(command, info_name=name, parent=context, max_content_width=100)
        lines += [f"## limbless {name}", "", "```text", command.get_help(inside), "```", ""]
    return "\n".join(lines)


def names() -> str:
    """The public names, grouped by use, from their docstrings."""
    lines = [
        "# Python API",
        "",
        "`import limbless as ll`; every name below is `ll.NAME`. Arguments of descriptions "
        'are their fields, which take numbers with units (`length="5 cm"`).',
        "",
    ]
    for group, modules in limbless._PUBLIC.items():
        lines += [f"## {group}", ""]
        lines += [f"::: limbless.{module}.{word}\n" for module, words in modules.items() for word in words.split()]
    return "\n".join(lines)


def examples() -> str:
    """The programs of examples/, whole."""
    lines = ["# Examples", "", "Short programs, numbered, all run by the tests.", ""]
    for path in EXAMPLES:
        language = "python" if path.suffix == ".py" else "yaml"
        anchor = f" {{#{path.stem}}}" if path.suffix == ".py" else ""
        lines += [f"## {path.name}{anchor}", "", f"```{language}", path.read_text(encoding="utf-8").rstrip(), "```", ""]
    notebook = "08_in_a_notebook"
    return "\n".join([*lines, f"## {notebook}.ipynb {{#{notebook}}}", "", "A notebook; open it in Jupyter.", ""])


def citing() -> str:
    """The papers, and how to cite each."""
    lines = [
        "# Citing",
        "",
        "If you use limbless, cite it (`CITATION.cff` in the repository) and the paper of the "
        "model that you ran. `limbless cite SCENARIO` prints the same.",
        "",
    ]
    for paper in citations.PAPERS.values():
        lines += [f"## {paper.word}", "", paper.text(), "", "```bibtex", paper.bibtex(), "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":  # the part of a page that repeats the code and is complete in the repository
    page = ROOT / "docs/choose.md"
    page.write_text(with_matrix(page.read_text(encoding="utf-8")), encoding="utf-8")
