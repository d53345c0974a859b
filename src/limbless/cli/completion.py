"""Tab completion: names of scenarios, runs and kinds, and the fields and values of `--set`; `limbless completion`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")


def complete_scenarios(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Built-in scenarios, and files that end in .yaml."""
    from limbless.scenarios import loader

    names = [CompletionItem(name) for name in loader.names() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Folders of runs first, then scenarios."""
    runs = sorted(path.parent for path in Path("runs").glob("*/result.nc"))
    found = [CompletionItem(str(path)) for path in runs if str(path).startswith(incomplete)]
    return [*found, *complete_scenarios(ctx, param, incomplete)]


def complete_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Whatever `limbless describe` takes."""
    from limbless.core import registry
    from limbless.scenarios import loader

    kinds = [
        kind
        for family in ("robot", "preset", "gait", "environment", "actuation", "controller", "model")
        for kind in registry.kinds(family)
    ]
    return [
        CompletionItem(name)
        for name in dict.fromkeys([*loader.names(), *kinds, "scenario"])
        if name.startswith(incomplete)
    ]


def complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Paths of fields of the scenario that is named before, and after `=` the values of those that have few."""
    from limbless.core import InputError
    from limbless.scenarios.scenario import Scenario

    named = (ctx.params.get("scenario"), *(ctx.params.get("sources") or ()), *ctx.args)  # an option without a value
    name = next((word for word in named if word), None)  # leaves words in `args`
    try:
        scenario = Scenario.load(name) if name else None
    except (InputError, OSError):
        return []
    if scenario is None:
        return []
    path, equals, value = incomplete.partition("=")
    known = dict(_fields(scenario, ""))
    if not equals:
        return [
            CompletionItem(f"{found}=", help=words) for found, (words, _) in known.items() if found.startswith(path)
        ]
    return [CompletionItem(f"{path}={option}") for option in known.get(path, ("", ()))[1] if option.startswith(value)]


def _fields(description: Any, path: str) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    """Path -> meaning, and the values of a choice."""
    from typing import Literal, get_args, get_origin

    from limbless.core import Description, unit_of

    for name, field in type(description).model_fields.items():
        value, place = getattr(description, name), f"{path}{name}"
        if isinstance(value, Description):
            yield from _fields(value, f"{place}.")
        elif isinstance(value, tuple) and value and all(isinstance(item, Description) for item in value):
            for number, item in enumerate(value):
                yield from _fields(item, f"{place}.{item.kind if name == 'environment' else number}.")
        elif name not in ("kind", "preset"):
            choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            options = ("true", "false") if isinstance(value, bool) else tuple(map(str, choices))
            unit = f" ({unit_of(field)})" if unit_of(field) not in ("", "1") else ""
            yield place, (f"{field.description or ''}{unit}", options)


@click.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.option("--show", is_flag=True, help="Print the script and install nothing.")
def completion(shell: str | None, show: bool) -> None:
    """Install tab completion for your shell.

    Completes commands, names of scenarios, folders of runs, and after --set the fields and values of the scenario.
    SHELL is bash, zsh or fish.  [default: the one that runs now]

    \b
    Example:
      limbless completion bash --show
    """
    from limbless.core import InputError, write_text

    chosen = shell or Path(os.environ.get("SHELL", "")).name
    if chosen not in SHELLS:
        raise InputError(
            f"the shell {chosen or 'that runs'} is not known; name one: limbless completion {'|'.join(SHELLS)}"
        )
    made = get_completion_class(chosen)
    if made is None:
        raise InputError(f"completion for {chosen} is not known")
    script = made(click.get_current_context().find_root().command, {}, "limbless", "_LIMBLESS_COMPLETE").source()
    if show:
        click.echo(script)
        return
    path = _place(chosen)
    write_text(path, script)
    click.echo(f"Written: {path}")
    if chosen != "fish":
        click.echo(_remember(chosen, path))
    click.echo("Open a new shell; then `limbless run mod<Tab>` completes.")


def _place(shell: str) -> Path:
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    own = data / "limbless" / f"complete.{shell}"
    return config / "fish" / "completions" / "limbless.fish" if shell == "fish" else own


def _remember(shell: str, path: Path) -> str:
    """One line in the file that the shell reads when it starts, once."""
    settings = Path.home() / f".{shell}rc"
    line = f'[ -r "{path}" ] && . "{path}"  # tab completion of limbless'
    text = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    if line in text:
        return f"{settings} reads it already"
    with settings.open("a", encoding="utf-8") as file:
        file.write(f"{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n")
    return f"{settings} reads it from now on"
