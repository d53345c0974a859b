"""Pages that repeat the code.

`python docs/site_pages.py` writes those that are complete in the repository: kinds and their fields, commands, public
Python names, and the matrix of models. The site gets more while it is built (this file is a hook of mkdocs): examples,
papers, their equations with code and tests, the files of the root, links from every `ll.Name` to its entry, and links
that lead out of this folder. A page that nobody has put into the navigation is listed under "More".
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

import limbless
from limbless.cli.main import main
from limbless.core import citations, fields, registry
from limbless.scenarios.scenario import Scenario
from limbless.view import terminal

sys.path.insert(0, str(Path(__file__).parent))
import equations
import notebooks

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.yaml")])
ROLES = ("wrench", "friction", "contact", "constraint", "clamp", "load")
MATRIX = "<!-- matrix of models: written by docs/site_pages.py -->"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    made = {
        "reference/examples.md": examples(),
        "reference/citing.md": citing(),
        "contributing.md": of_the_root("CONTRIBUTING.md"),
        "changelog.md": of_the_root("CHANGELOG.md"),
        **{f"reference/equations/{model}.md": equations.page(model) for model in equations.table()},
    }
    made |= {f"notebooks/{page.stem}.ipynb": notebooks.notebook(page) for page in notebooks.FOLDER.glob("*.md")}
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
    model = Path(page.file.src_uri).stem
    text = re.sub(r"\]\((?:\.\./)+examples/(\w+)\.(?:py|ipynb)\)", rf"]({up}reference/examples.md#\1)", markdown)
    text = re.sub(r"\]\((?:\.\./)+examples\)", f"]({up}reference/examples.md)", text)
    text = re.sub(r"\]\((?:\.\./)+CONTRIBUTING\.md", f"]({up}contributing.md", text)
    text = re.sub(r"\]\((?:\.\./)+CHANGELOG\.md", f"]({up}changelog.md", text)
    if page.file.src_uri.startswith("notebooks/"):
        text = re.sub(r"(?m)^## Next steps$", f"[Download this notebook]({model}.ipynb)\n\n## Next steps", text)
    if page.file.src_uri != "api.md":
        known = api_titles()
        text = re.sub(
            r"(?<![\[`])`ll\.(\w+)((?:\.\w+)*)(\([^`\n]*\))?`(?![\]`])",
            lambda found: f"[{found[0]}]({up}api.md#{anchor(known[found[1]])})" if found[1] in known else found[0],
            text,
        )
    if page.file.src_uri.startswith("models/") and model in equations.table():
        text = equations.linked(text, model).replace("](../equations.yaml)", f"](../reference/equations/{model}.md)")
    return text


def of_the_root(name: str) -> str:
    """A page of the repository's root, as a page beside the others."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
    return text.replace("](CONTRIBUTING.md", "](contributing.md").replace("](CHANGELOG.md", "](changelog.md")


def library_kinds(family: str) -> dict[str, Any]:
    """The kinds of a family that the library has, without those of a program that imports it."""
    return {kind: cls for kind, cls in registry.kinds(family).items() if cls.__module__.startswith("limbless.")}


def matrix() -> str:
    """Models against what they take, from their own settings."""
    models = library_kinds("model")
    rows = [("robots", "takes_robots"), ("gaits drive", "takes_drives"), ("actuation", "takes_actuations")]
    lines = [f"| | {' | '.join(f'`{name}`' for name in models)} |", f"|---|{'---|' * len(models)}"]
    for words, attribute in rows:
        cells = [", ".join(getattr(model, attribute)) or "–" for model in models.values()]
        lines.append(f"| **{words}** | {' | '.join(cells)} |")
    for kind, cls in library_kinds("environment").items():
        cells = ["yes" if _taken(cls, model) else "" for model in models.values()]
        lines.append(f"| `{kind}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def with_matrix(text: str) -> str:
    """A page whose matrix of models is that of the code: what stands between its mark and the next heading."""
    before, _, behind = text.partition(MATRIX)
    return f"{before}{MATRIX}\n\n{matrix()}\n\n##{behind.partition('##')[2]}"


def kinds() -> str:
    """Every kind with its fields: what `limbless describe` shows."""
    lines = [
        "# All kinds and fields",
        "",
        "This page lists every kind that a [scenario file](scenarios.md) can name, with the type, unit, default and "
        "meaning of each field. `limbless describe NAME` prints the same in the terminal. The page is written from the "
        "code by `python docs/site_pages.py`.",
        "",
    ]
    known = {heading: library_kinds(family) for heading, family in terminal.FAMILIES.items()}
    index: list[str] = []
    body: list[str] = []
    parts = {inner.__name__: inner for inner in fields.nested(Scenario)}
    for heading, classes in known.items():
        body += [f"## {heading.capitalize()}", ""]
        links = []
        for kind, cls in classes.items():
            title = kind_titles()[terminal.FAMILIES[heading], kind]
            links.append(f"[`{kind}`](#{anchor(title)})")
            body += [f"### {title}", "", *_about(cls), *_table(cls), ""]
            parts.update({inner.__name__: inner for inner in fields.nested(cls)})
        index.append(f"- {heading.capitalize()}: {', '.join(links)}")
    lines += [*index, "- [Scenario file](#scenario-file), [parts](#parts) of several kinds", "", *body]
    lines += ["## Scenario file", "", "The top level of a file.", "", *_table(Scenario), ""]
    lines += ["## Parts", "", "These descriptions have no kind of their own. Other descriptions contain them.", ""]
    for name in sorted(parts):
        lines += [f"### {name}", "", _escaped(terminal.first_line(parts[name])), "", *_table(parts[name]), ""]
    lines += ["## Next steps", "", "- [Scenario files](scenarios.md): how the parts of a file fit together."]
    return "\n".join([*lines, "- [Python API](api.md): the same descriptions as Python classes.", ""])


def with_overviews(text: str) -> str:
    """A page whose tables of kinds, between `<!-- kinds: FAMILY -->` and `<!-- end -->`, are those of the code."""

    def overview(found: re.Match[str]) -> str:
        lines = ["| kind | meaning |", "|---|---|"]
        for kind, cls in library_kinds(found[1]).items():
            title = kind_titles()[found[1], kind]
            lines.append(f"| [`{kind}`](kinds.md#{anchor(title)}) | {_cell(terminal.first_line(cls))} |")
        return "\n".join([f"<!-- kinds: {found[1]} -->", *lines, "<!-- end -->"])

    return re.sub(r"<!-- kinds: ([\w-]+) -->\n.*?<!-- end -->", overview, text, flags=re.DOTALL)


def kind_titles() -> dict[tuple[str, str], str]:
    """Headings of the kinds of every family, each once on its page."""
    taken = {anchor(word) for word in ("All kinds and fields", *terminal.FAMILIES, "Scenario file", "Parts")}
    titles: dict[tuple[str, str], str] = {}
    for family in terminal.FAMILIES.values():
        for kind in library_kinds(family):
            titles[family, kind] = f"{kind} ({family})" if kind in taken else kind
            taken.add(kind)
    return titles


def anchor(heading: str) -> str:
    """A heading as it is named in links."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _about(cls: Any) -> list[str]:
    """What a kind is, its name in Python, and the models that take it."""
    lines = [_escaped(inspect.getdoc(cls) or ""), ""]
    if cls.__name__ in limbless.__all__:
        lines += [f"In Python: [`ll.{cls.__name__}`](api.md#{anchor(api_titles()[cls.__name__])}).", ""]
    models = library_kinds("model")
    if cls.family == "environment":
        lines += [f"Models: {', '.join(f'`{name}`' for name in models if _taken(cls, models[name]))}.", ""]
    return lines


def _taken(cls: Any, model: Any) -> bool:
    """Whether a model takes an environment."""
    roles = {cls.role, *cls.also} if isinstance(cls.role, str) else {*ROLES[:2], *cls.also}
    return bool(roles & set(model.takes_roles))


def _table(cls: Any) -> list[str]:
    rows = [
        f"| `{row.name}` | {_cell(_type(row.type))} | {_cell(row.unit)} | {_cell(_short(row.default))} | "
        f"{_cell(row.meaning)} |"
        for row in fields.rows(cls)
        if row.name != "kind"
    ]
    return ["| field | type | unit | default | meaning |", "|---|---|---|---|---|", *rows]


def _type(text: str) -> str:
    """A type without the list of all kinds: each has its heading."""
    return re.sub(r"\(?(\w+) \(kind: [^)]*\)\)?", r"\1", text)


def _short(default: str) -> str:
    return default if len(default) < 80 else default[:77] + "..."


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|").replace("\n", " ")


def _escaped(text: str) -> str:
    return re.sub(r"([<>*_\[\]])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", text)


def commands() -> str:
    """What every command says of itself."""
    lines = [
        "# Commands",
        "",
        "This page shows the help text of every command, as `limbless COMMAND --help` prints it. "
        "The page is written from the code by `python docs/site_pages.py`.",
        "",
    ]
    widths: Any = {"terminal_width": 100, "max_content_width": 100}
    context = click.Context(main, info_name="limbless", help_option_names=["-h", "--help"], **widths)
    names = main.list_commands(context)
    lines += [", ".join(f"[`{name}`](#limbless-{name})" for name in names), ""]
    for name in names:
        command = main.commands[name]
        inside = click.Context(command, info_name=name, parent=context, **widths)
        lines += [f"## limbless {name}", "", "```text", command.get_help(inside), "```", ""]
    return "\n".join([*lines, "## Next steps", "", "- [First run](start/first-run.md): the commands in use.", ""])


def api() -> str:
    """The public names, grouped by use, verbs first."""
    lines = [
        "# Python API",
        "",
        "This page lists every public name of `import limbless as ll`, verbs first. Descriptions (robots, gaits, "
        "environments, models) take their fields as keyword arguments. A field takes a number in SI units or a text "
        'with a unit, such as `length="5 cm"`. The page is written from the code by `python docs/site_pages.py`.',
        "",
    ]
    titles = api_titles()
    for group, modules in limbless._BY_USE.items():
        words = [word for text in modules.values() for word in text.split()]
        links = ", ".join(f"[`{word}`](#{anchor(titles[word])})" for word in words)
        lines += [f"- [{group}](#{anchor(group)}): {links}"]
    for group, modules in limbless._BY_USE.items():
        lines += ["", f"## {group}", ""]
        for text in modules.values():
            for word in text.split():
                lines += [f"### {titles[word]}", "", *_entry(word, getattr(limbless, word))]
    lines += ["## Next steps", "", "- [All kinds and fields](kinds.md): the fields of every description."]
    return "\n".join([*lines, "- [Extending in Python](extending.md): classes and functions of your own.", ""])


def api_titles() -> dict[str, str]:
    """Public names and their headings, which differ in more than capital letters."""
    titles: dict[str, str] = {}
    taken = {anchor(group) for group in limbless._BY_USE}
    for text in (text for modules in limbless._BY_USE.values() for text in modules.values()):
        for word in text.split():
            kind = "function" if inspect.isfunction(getattr(limbless, word)) else "class"
            titles[word] = f"{word} ({kind})" if word.lower() in taken else word
            taken.add(word.lower())
    return titles


def _entry(word: str, item: Any) -> list[str]:
    """Signature, docstring and methods of a public name."""
    if not (inspect.isclass(item) or inspect.isfunction(item)) or item is limbless.Vector3:
        return [_alias(word), ""]
    lines = _documented(item)
    kinded = inspect.isclass(item) and issubclass(item, limbless.Description)
    if kinded and item.family:
        tag = "preset" if item.family == "preset" else "kind"
        kind = getattr(item.model_fields.get(tag), "default", None)
        if isinstance(kind, str):
            title = anchor(kind_titles()[item.family, kind])
            return [*lines, f"Fields: [`{kind}`](kinds.md#{title}).", "", *_methods(word, item)]
    if kinded:
        return [*lines, *_table(item), "", *_methods(word, item)]
    if inspect.isclass(item) and issubclass(item, Exception):
        return lines
    return [*_signature(f"ll.{word}", item), *lines, *(_methods(word, item) if inspect.isclass(item) else [])]


def _alias(word: str) -> str:
    """What is written below a name that is neither a class nor a function."""
    for name in ("fields", "description"):
        body = ast.parse((ROOT / f"src/limbless/core/{name}.py").read_text(encoding="utf-8"))
        for holder in ast.walk(body):
            inner = getattr(holder, "body", [])
            for before, after in itertools.pairwise(inner) if isinstance(inner, list) else ():
                named = isinstance(before, ast.Assign) and getattr(before.targets[0], "id", "") == word
                if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    return _escaped(" ".join(str(after.value.value).split()))
    raise LookupError(f"{word} has no text below it")


def _methods(word: str, cls: Any) -> list[str]:
    """Methods and properties that a class adds to its bases, those of a model to its public bases."""
    lines: list[str] = []
    public = [getattr(limbless, name) for name in limbless.__all__] if issubclass(cls, limbless.Model) else cls.__mro__
    parts = [cls, *itertools.takewhile(lambda base: base not in public, cls.__mro__[1:])]
    members = {name: member for part in reversed(parts) for name, member in vars(part).items()}
    for name, member in members.items():
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        inherited = any(name in vars(base) for base in cls.__mro__[len(parts) :])
        if name.startswith("_") or inherited or not (getattr(inner, "__doc__", None) or "").strip():
            continue
        if isinstance(inner, property):
            lines += [f"**`.{name}`**: {_escaped(terminal.first_line(inner))}", ""]  # type: ignore[arg-type]
        elif inspect.isfunction(inner) and not hasattr(inner, "decorator_info"):
            lines += [*_signature(f"ll.{word}.{name}", inner), *_documented(inner)]
    return lines


def _signature(word: str, item: Any) -> list[str]:
    """A call, one argument a line where it is long."""
    arguments = []
    star = False
    for number, one in enumerate(inspect.signature(item).parameters.values()):
        if number == 0 and one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not star:
            arguments.append("*")
        star = star or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        text = one.annotation if isinstance(one.annotation, str) else getattr(one.annotation, "__name__", "")
        typed = "" if one.annotation is one.empty or not text else f": {text}"
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        arguments.append(f"{mark}{one.name}{typed}{default if typed else default.replace(' ', '')}")
    call = f"{word}({', '.join(arguments)})"
    if len(call) > 100:
        call = f"{word}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
    return ["```text", call, "```", ""]


def _default(value: Any) -> str:
    text = repr(value)
    return "..." if " at 0x" in text or len(text) > 60 else text


SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def _documented(item: Any) -> list[str]:
    """A numpy docstring in Markdown: sections in bold, their entries as lists."""
    before, *sections = SECTION.split(inspect.getdoc(item) or "")
    lines = [_escaped(before.strip()), ""]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        entries, _, rest = text.strip("\n").partition("\n\n")
        lines += [f"**{title}**", ""]
        if title == "Examples":
            lines += ["```pycon", textwrap.dedent(text).strip(), "```", ""]
            continue
        for entry in re.split(r"\n(?=\S)", entries):
            head, colon, meaning = (part.strip() for part in " ".join(entry.split()).partition(" : "))
            if not colon:
                lines += [f"- {_escaped(head)}"]
                continue
            names = ", ".join(f"`{name.strip()}`" for name in head.split(","))
            lines += [f"- {names}: {_escaped(meaning)}"]
        lines += ["", *([_escaped(textwrap.dedent(rest).strip()), ""] if rest.strip() else [])]
    return lines


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


def folded(text: str) -> str:
    """Lines of prose and of lists of at most 118 characters; code, tables and headings stay as they are."""
    lines, code = [], False
    for line in text.splitlines():
        code = code != line.lstrip().startswith("```")
        if code or len(line) <= 118 or line.lstrip().startswith(("|", "#", "```")):
            lines.append(line)
            continue
        indent = re.match(r" *(?:[-*] |\d+\. )?", line)[0]  # type: ignore[index]
        glued = re.sub(r" ([-+*=>|#]|\d+\.) ", "\0\\1\0", line[len(indent) :])
        folded_lines = textwrap.wrap(
            glued,
            118,
            initial_indent=indent,
            subsequent_indent=" " * len(indent),
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += [part.replace("\0", " ") for part in folded_lines]
    return "\n".join(lines) + "\n"


def complete() -> dict[str, str]:
    """Pages of this folder that are complete in the repository, as the code makes them."""
    return {
        "kinds.md": folded(kinds()),
        "commands.md": folded(commands()),
        "api.md": folded(api()),
        "scenarios.md": with_overviews((ROOT / "docs/scenarios.md").read_text(encoding="utf-8")),
        "choose.md": with_matrix((ROOT / "docs/choose.md").read_text(encoding="utf-8")),
    }


if __name__ == "__main__":
    for path, text in complete().items():
        (ROOT / "docs" / path).write_text(text, encoding="utf-8")
