"""Python functions inside descriptions: taken as objects or as text, written as text that finds them again.

The text is `package.module:function`, or `path/to/file.py:function` for a file that is not installed; a path may be
relative to the folder of the scenario file that names it.

To import a module is to run it, and a scenario may come from a stranger. A text that comes out of a file is
therefore kept as a `NamedFunction`, which says what it names and refuses to be called, until whoever loads the file
allows its code (`allow_code`).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import site
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, PlainSerializer, ValidationInfo

from limbless.core.errors import InputError, nearest
from limbless.core.functions.function_source import function_from, source_of
from limbless.core.input_problems import dotted, leaves

_UNSAVED = "<function that was not saved: "
_SOURCE = "source of "
_FORM = "a Python function is written 'package.module:name' or 'path/to/file.py:name'"
HOW_TO_ALLOW = (
    "look at it first; if you trust it, allow it: --allow-code on the command line, "
    "ll.run(path, allow_code=True) or ll.Scenario.load(path, allow_code=True) in Python"
)


def text_of(function: Callable[..., Any]) -> str:
    """How a function is written in a scenario file: where it is found again, or else its source; one that has neither
    gets a text that loading refuses.

    Functions of a package are found by the package's name; those of a single file by the file, because the folder that
    held it need not be on the path of the next run.
    """
    if isinstance(function, NamedFunction):
        return function.text
    name, home = getattr(function, "__qualname__", None), getattr(function, "__module__", None)
    module = sys.modules.get(home or "")
    if name and module and home != "__main__" and _attribute(module, name) is function:
        file = getattr(module, "__file__", None)
        alone = file and "." not in module.__name__ and not hasattr(module, "__path__") and not _installed(Path(file))
        return f"{Path(file).resolve() if alone and file else home}:{name}"
    source = source_of(function)
    if source is not None:
        return f"{_SOURCE}{name_of(function)}:\n{source}\n"
    return f"{_UNSAVED}{home or type(function).__module__}:{name or type(function).__qualname__}>"


class NamedFunction:
    """A Python function that a file names and that has not been loaded: nothing of it was run.

    Attributes
    ----------
    text : `package.module:name` or `path/to/file.py:name`; the path is absolute where the file was found.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.__name__ = text.rpartition(":")[2] if self.source is None else self.source[0]

    @property
    def source(self) -> tuple[str, str] | None:
        """Name and source, where the text holds the source itself."""
        if not self.text.startswith(_SOURCE):
            return None
        head, _, source = self.text.partition("\n")
        return head.removeprefix(_SOURCE).rstrip(":"), source.rstrip("\n")

    @property
    def told(self) -> str:
        """The text, or of a source its name: for one line."""
        return self.text if self.source is None else f"the function {self.__name__}, saved with its source"

    @property
    def file(self) -> Path | None:
        """The Python file that loading it would run, or None for a module, which is found by its name."""
        home = self.text.rpartition(":")[0]
        return Path(home) if home.endswith(".py") and self.source is None else None

    def refusal(self) -> str:
        """Why it is not called."""
        if self.text.startswith(_UNSAVED):
            return _unsaved(self.text)
        return f"{self.told} is Python code that a scenario names, and nobody has allowed to run it; {HOW_TO_ALLOW}"

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise InputError(self.refusal())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedFunction) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"<{self.told}, not loaded>"


def functions_in(description: Any) -> dict[str, Callable[..., Any]]:
    """Path -> function, of every function in a description (or a list of descriptions), loaded or only named."""
    return {dotted(place): part for place, part in leaves(description) if callable(part)}


def named_in(description: Any) -> dict[str, NamedFunction]:
    """Those that are only named."""
    found = functions_in(description)
    return {path: function for path, function in found.items() if isinstance(function, NamedFunction)}


def refuse_named(description: Any) -> None:
    """Refuse what can only run with code that nobody has allowed: one sentence for all of it."""
    named = named_in(description)
    unsaved = [function for function in named.values() if function.text.startswith(_UNSAVED)]
    if unsaved:
        raise InputError(unsaved[0].refusal())
    if named:
        told = "; ".join(f"{path} is {function.told}" for path, function in named.items())
        raise InputError(f"this scenario names Python code, and running it executes that code: {told}; {HOW_TO_ALLOW}")


def _unsaved(text: str) -> str:
    name = text.removeprefix(_UNSAVED).rstrip(">")
    return (
        f"the scenario was saved with a Python function that lived only in that session ({name}); "
        f"put the function into a file: {_FORM}"
    )


def _parts(text: str) -> tuple[str, str]:
    """Home and name of a function's text."""
    if text.startswith(_UNSAVED):
        raise InputError(_unsaved(text))
    home, _, name = text.rpartition(":")
    if not home or not name:
        raise InputError(f"{text!r} names no function; {_FORM}")
    return home, name


def function_of(text: str, folder: Path | None = None) -> Callable[..., Any]:
    """The function that a text names; its module is run.

    Parameters
    ----------
    text : `package.module:name` or `path/to/file.py:name`.
    folder : where relative paths start; then, and if None, in the working directory.
    """
    written = NamedFunction(text).source
    if written is not None:
        return function_from(written[1], written[0])
    home, name = _parts(text)
    module = _load_file(located(home, folder)) if home.endswith(".py") else _import(home)
    function = _attribute(module, name)
    if function is None:
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise InputError(f"{home} has no function {name!r}; {nearest(name, known)}")
    if not callable(function):
        raise InputError(f"{text!r} is a {type(function).__name__}, not a function")
    return function


def name_of(function: Callable[..., Any]) -> str:
    """What a function is called in a sentence."""
    return getattr(function, "__name__", None) or type(function).__name__


def told(error: BaseException) -> str:
    """An exception in words: its kind, and what it says if it says anything."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def call(
    function: Callable[..., Any], role: str, arguments_form: str, when: str | float, *arguments: Any, **named: Any
) -> Any:
    """What a user's function answers. Whatever it raises, but Ctrl-C, becomes an `InputError` that names the function
    and the time.

    Parameters
    ----------
    role, when : for the sentence: `gait function` .. `at t = 0 s`; a number is such a time, put into words if need be.
    arguments_form : how it is called, such as `(t, s)`; said where the function does not take that.
    """
    try:
        # NumPy's own way, whatever the library wants of its own arithmetic
        with np.errstate(all="warn"):
            return function(*arguments, **named)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, StopIteration, MemoryError, RecursionError
        fits = not isinstance(error, TypeError) or _takes(function, arguments, named)
        hint = "" if fits else f"; it is called as {name_of(function)}{arguments_form}"
        when = when if isinstance(when, str) else f"at t = {when:g} s"
        raise InputError(f"{role} {name_of(function)} failed {when} with {told(error)}{hint}") from error


def numbers_of(answer: Any, teller: str, where: str, shape: tuple[int, ...], wanted: str = "") -> NDArray[np.float64]:
    """A user's answer as an array of finite numbers of a shape; `wanted` says in words what it should be."""
    try:
        found = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{teller} must return {wanted or 'numbers'}; it returned {answer!r:.60} {where}") from None
    if found.shape != shape:
        raise InputError(f"{teller} must return {wanted or f'shape {shape}'}; it returned {found.shape} {where}")
    if not np.isfinite(found).all():
        raise InputError(f"{teller} returned a number that is not finite {where}")
    return found


def span(times: Any) -> str:
    """When a function was asked for these times (T,), s, for the sentence of `call`."""
    first, last = float(min(times)), float(max(times))
    return f"at t = {first:g} s" if first == last else f"between t = {first:g} and {last:g} s"


def _takes(function: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Whether a function can be called with these arguments; True where nobody knows."""
    try:
        inspect.signature(function).bind(*arguments, **named)
    except TypeError:
        return False
    except ValueError:
        pass
    return True


def _beside(value: str | None, info: ValidationInfo) -> str | None:
    return str(located(value, folder_of(info))) if value else value


FileName = Annotated[str | None, AfterValidator(_beside)]
"""Where a file is, looked for beside the scenario first, so that the scenario may be saved anywhere."""


def located(path: str | Path, folder: Path | None = None) -> Path:
    """A path that exists: absolute, in `folder`, or in the working directory, in this order."""
    given = Path(path).expanduser()
    places = [place for place in (folder, Path.cwd()) if place is not None]
    for candidate in (place / given for place in places):
        if candidate.exists():
            return candidate.resolve()
    looked = (
        "" if given.is_absolute() else f" (looked in {' and '.join(dict.fromkeys(str(place) for place in places))})"
    )
    raise InputError(f"there is no file {str(path)!r}{looked}")


def folder_of(info: ValidationInfo) -> Path | None:
    """The folder of the file that is being loaded, or None: validators that read files
    beside a scenario start there.
    """
    return (info.context or {}).get("folder")


def _read(value: Any, info: ValidationInfo) -> Any:
    """A function as it is. A text is loaded where code is allowed, and where a program gives it itself (no file is
    being read: no context); anywhere else it stays a name. `known` are functions that are loaded already, by their
    texts.
    """
    context = info.context or {}
    text = value.text if isinstance(value, NamedFunction) else value
    if isinstance(text, str):
        if text in (known := context.get("known", {})):
            return known[text]
        if context.get("allow_code") or (info.context is None and isinstance(value, str)):
            return function_of(text, folder_of(info))
        return value if isinstance(value, NamedFunction) else _named(text, context)
    if callable(value):
        return value
    raise ValueError(f"must be a Python function; {_FORM}")


def _named(text: str, context: Mapping[str, Any]) -> NamedFunction:
    """A name that was read: of a file beside a scenario file, which must be there; of a text; or of a saved run, which
    is taken as it is.
    """
    if context.get("saved") or text.startswith(_SOURCE):
        return NamedFunction(text)
    home, name = _parts(text)
    beside = home.endswith(".py") and "folder" in context
    return NamedFunction(f"{located(home, context['folder'])}:{name}" if beside else text)


Function = Annotated[
    Callable[..., Any], BeforeValidator(_read), PlainSerializer(text_of, return_type=str, when_used="json")
]
"""A field that holds a Python function: takes the function or its text, and is saved as the text."""


def _attribute(module: ModuleType, name: str) -> Any:
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _installed(file: Path) -> bool:
    """Whether a file belongs to the interpreter or its installed packages, so that every run can import it by name."""
    homes = [*sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages()]
    return any(file.is_relative_to(home) for home in homes)


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's module may raise anything, and even exit
        raise InputError(f"module {name!r} cannot be imported ({told(error)}); {_FORM}") from error


def _load_file(path: Path) -> ModuleType:
    """Run a Python file as a module, once for each content: an edited file is run again, an unchanged one gives the
    same functions.
    """
    content = path.read_bytes()
    name = f"{path.stem}_{hashlib.sha256(str(path).encode() + content).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # a user's file may raise anything, and even exit
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise InputError(f"{str(path)!r} could not be run: {told(error)}") from error
    return module
