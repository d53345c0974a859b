"""Robot descriptions as text: XML that is read safely, its numbers, and files that it names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from limbless.core import Array, InputError, refuse_pipe
from limbless.robots.rotation_matrices import about_x, about_y, about_z

Element = ElementTree.Element
_LONGEST = 50_000_000
"""Bytes of a description; the longest public one has two million."""
_DEEPEST = 4000
"""Elements inside each other: a chain of a thousand bodies in MJCF has as many."""
SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
LARGEST = 1e12
"""Of any number of a description: beyond it, squares and products leave the range of what can be computed."""
_UPWARDS = 4
"""Folders above a description in which its meshes are looked for."""


def read(path: Path) -> str:
    """The text of a file, or what keeps it from being read in a sentence."""
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _LONGEST:
        raise InputError(f"{path.name} has more than {_LONGEST} bytes: it is no description of a robot")
    declared = re.match(rb"<\?xml[^>]*encoding=[\"']([\w.-]+)", data)
    for encoding in ("utf-8-sig", declared[1].decode() if declared else "utf-16"):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    raise InputError(f"{path.name} is not UTF-8 text; save it as UTF-8")


def parse(text: str, where: str) -> Element:
    """The root of an XML text.

    Comments end at the first `-->` and may hold `--`, which strict parsers refuse and published files have. Lines keep
    their numbers. Entities, by which a few lines can stand for more than any memory holds, are refused.
    """
    plain = _without_comments(text)
    refuse_entities(plain, where)
    if not plain.lstrip().startswith("<"):
        raise InputError(
            f"{where}: not XML, in which robots are described (URDF, SDF, MJCF, xacro); `limbless film` "
            "reads tables of a tracked animal"
        )
    try:
        root = ElementTree.fromstring(plain.lstrip())
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{where}: not valid XML: {error}") from None
    level, depth = [root], 0
    while level:
        level, depth = [child for element in level for child in element], depth + 1
        if depth > _DEEPEST:
            raise InputError(f"{where}: elements are nested more than {_DEEPEST} deep")
    return root


def refuse_entities(text: str, where: str) -> None:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{where}: a description of a robot needs no DOCTYPE and no ENTITY; take them out")


def _without_comments(text: str) -> str:
    """Each comment looked at once: one that never ends makes no pattern begin again at every other."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + 3
    return "".join([*kept, text[at:]])


@contextmanager
def keeping(problems: list[str]) -> Iterator[None]:
    """A refusal becomes one of several problems, so that all are said at once."""
    try:
        yield
    except InputError as error:
        problems.append(str(error))


def stated(element: Element, path: str, name: str) -> str | None:
    """An attribute of the element at a path below another, where both are there."""
    found = element.find(path)
    return None if found is None else found.get(name)


def called_twice(links: list[Element]) -> list[str]:
    """Problems with the names of links."""
    counts = Counter(link.get("name") for link in links)
    return [f"two links are called {name!r}" for name, count in counts.items() if count > 1]


def not_read(tags: Iterable[str]) -> list[str]:
    """A note on elements of which nothing is read, if there are any."""
    counts = sorted(Counter(tags).items())
    return ["not read: " + ", ".join(f"{count} <{tag}>" for tag, count in counts)] if counts else []


def numbers(text: str | None, count: int, what: str, default: tuple[float, ...] | None = None) -> Array:
    """So many finite numbers of a text; the default where there is no text."""
    if text is None or not text.strip():
        if default is None:
            raise InputError(f"{what} is missing: {count} numbers" if count > 1 else f"{what} is missing: a number")
        return np.array(default, dtype=np.float64)
    words = text.replace(",", " ").split()
    try:
        found = np.array([float(word) for word in words])
    except ValueError:
        raise InputError(f"{what} is {_short(text)}, not {count} number{'s' * (count > 1)}") from None
    if found.shape != (count,):
        raise InputError(f"{what} has {len(words)} numbers, not {count}: {_short(text)}")
    if not np.isfinite(found).all() or np.abs(found).max() > LARGEST:
        raise InputError(f"{what} is {_short(text)}: numbers must be finite, and not above {LARGEST:g}")
    return found


def number(text: str | None, what: str, default: float | None = None) -> float:
    return float(numbers(text, 1, what, None if default is None else (default,))[0])


def limit(text: str | None, what: str, least: float = 0.0) -> float | None:
    """A bound, or None where the file has none: no text, not a number, infinite, above 1e9 or not above `least`."""
    try:
        value = float(text) if text is not None else math.inf
    except ValueError:
        raise InputError(f"{what} is {_short(text or '')}, not a number") from None
    return value if math.isfinite(value) and least < value <= 1e9 else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def pose(position: Array, rotation: Array) -> Array:
    """(4, 4) from a place and axes."""
    full = np.eye(4)
    full[:3, :3], full[:3, 3] = rotation, position
    return full


def rpy_matrix(angles: Array) -> Array:
    """Roll, pitch and yaw about fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = angles
    return about_z(yaw) @ about_y(pitch) @ about_x(roll)


def unit(axis: Array, what: str) -> Array:
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise InputError(f"{what} is {axis.tolist()}: a direction needs a length")
    return axis / length if abs(length - 1.0) > 1e-15 else axis


def find_file(name: str, beside: Path) -> Path | None:
    """A file that a description names: as written, beside the description, or in folders called `meshes` and the like
    above it.

    Schemes such as `package://` and `model://` stand for places that only their own tools know: the package's name is
    passed over.
    """
    bare = re.sub(r"^\w+://", "", name.strip()).replace("\\", "/")
    parts = [part for part in Path(bare).parts if part not in ("/", "..", ".")]
    tails = [Path(*parts[start:]) for start in range(len(parts))]
    folders = [beside, *list(beside.parents)[:_UPWARDS]]
    places = (folder / more / tail for folder in folders for tail in tails for more in ("", "meshes"))
    return next((place.resolve() for place in places if place.is_file()), None)
