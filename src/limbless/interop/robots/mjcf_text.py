"""MJCF text before it is compiled: other files taken in, what is only seen taken out, missing meshes made harmless."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from limbless.core import InputError
from limbless.interop.robots.xml_text import LARGEST, Element, find_file, parse, read

_SEEN = ("visual", "statistic", "keyframe", "sensor", "custom", "size", "extension")
"""Sections of which nothing is read."""
_TOLD = ("sensor", "camera", "light", "keyframe", "skin", "plugin")
_TEXTS = ("name", "class", "childclass", "model", "file", "joint", "body", "geom", "mesh", "site", "tendon")
_DEEPEST = 20
_MOST_FILES = 1000
_MOST = 200_000
"""Elements after copies are made: of `<replicate>`, of `<composite>` and `<flexcomp>`, of a field of heights."""


def prepared(root: Element, beside: Path, density: bool) -> tuple[Element, list[str]]:
    """The file as it can be compiled without what is missing, and notes on what was left out."""
    notes: list[str] = []
    _take_in(root, beside, notes, [])
    counts: Counter[str] = Counter()
    _refuse_numbers(root)
    _refuse_many(root)
    for tag in _SEEN:
        for section in root.findall(tag):
            counts[tag] += len(section) if tag in ("keyframe", "sensor", "custom") else 1
            root.remove(section)
    _remove_looks(root, counts)
    _settle_meshes(root, beside, notes, density)
    told = [f"{count} {tag}{'s' * (count > 1)}" for tag, count in sorted(counts.items()) if tag in _TOLD and count]
    return root, [*notes, f"not read: {', '.join(told)}"] if told else notes


def _refuse_numbers(root: Element) -> None:
    """Numbers that are none, or too large: MuJoCo would write a log of them into the working folder and go on."""
    for element in root.iter():
        for key, words in element.attrib.items():
            for word in words.split() if key not in _TEXTS else ():
                if not abs(_number(word)) <= LARGEST:
                    raise InputError(
                        f"<{element.tag}> {key} is {words[:40]!r}: numbers must be finite, and not above {LARGEST:g}"
                    )


def _refuse_many(root: Element) -> None:
    """Few lines can ask MuJoCo for more bodies than any memory holds."""
    total, waiting = 0.0, [(root, 1.0)]
    while waiting:
        element, times = waiting.pop()
        asked = [word for key in ("count", "nrow", "ncol") for word in element.get(key, "").split()]
        copies = times * math.prod(max(abs(_number(word)), 1.0) for word in asked)
        total += copies
        if total > _MOST:
            raise InputError(f"<{element.tag}> asks for more than {_MOST} elements, counted with all their copies")
        waiting += [(child, copies if element.tag == "replicate" else times) for child in element]


def _number(word: str) -> float:
    """A word as a number; 0 where it is none."""
    with suppress(ValueError):
        return float(word)
    return 0.0


def _take_in(root: Element, beside: Path, notes: list[str], taken: list[Path], depth: int = 0) -> None:
    """Put the content of included files in their place; those that are not here are left out."""
    if depth > _DEEPEST or len(taken) > _MOST_FILES:
        raise InputError(f"files include each other without end, or more than {_MOST_FILES} of them")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag != "include":
                continue
            place = list(parent).index(child)
            parent.remove(child)
            path = find_file(child.get("file", ""), beside)
            if path is None:
                notes.append(f"the included file {child.get('file', '')!r} is not here, and what it holds is left out")
                continue
            taken.append(path)
            inner = parse(read(path), path.name)
            _take_in(inner, path.parent, notes, taken, depth + 1)
            for number, item in enumerate(list(inner)):
                parent.insert(place + number, item)


def _remove_looks(root: Element, counts: Counter[str]) -> None:
    """Materials, textures, lights and cameras: nothing is computed from them."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("material", "texture", "light", "camera", "skin", "plugin"):
                counts[child.tag] += 1
                parent.remove(child)
        parent.attrib.pop("material", None)


def _settle_meshes(root: Element, beside: Path, notes: list[str], density: bool) -> None:
    """Meshes and height fields by their full paths; the geoms of missing ones touch nothing and weigh nothing."""
    folders = _folders(root, beside)
    missing: dict[str, str] = {}
    for asset in root.findall("asset"):
        for item in list(asset):
            name = item.get("file")
            if item.tag not in ("mesh", "hfield") or name is None:
                continue
            found = next((path for folder in folders if (path := find_file(name, folder))), None)
            if found is not None:
                item.set("file", str(found))
                continue
            missing[item.get("name") or Path(name).stem] = Path(name).name
            asset.remove(item)
    if not missing:
        return
    defaults = _defaults(root)
    weightless: list[str] = []
    fromgeom = any(item.get("inertiafromgeom") == "true" for item in root.findall("compiler"))
    for body, klass in _bodies(root):
        for geom in body.findall("geom"):
            own = {**defaults.get(geom.get("class", klass), {}), **geom.attrib}
            if (own.get("mesh") or own.get("hfield")) not in missing:
                continue
            weighs = all((own.get(word) or "1").strip() not in ("0", "0.0") for word in ("mass", "density"))
            if weighs and body.tag == "body" and (body.find("inertial") is None or fromgeom):
                weightless.append(body.get("name", "body"))
            for key in ("mesh", "hfield", "fitscale", "density", "fromto"):
                geom.attrib.pop(key, None)
            geom.attrib |= {"type": "sphere", "size": "1e-6", "contype": "0", "conaffinity": "0", "mass": "0"}
    for item in root.iter("geom"):  # defaults do not name what is missing
        if item.get("mesh") in missing:
            item.attrib.pop("mesh")
    shown = ", ".join(list(missing.values())[:3]) + (", .." if len(missing) > 3 else "")
    if weightless and not density:
        raise InputError(
            f"bodies {', '.join(map(repr, weightless[:3]))}{' ..' * (len(weightless) > 3)} take their "
            f"inertia from meshes that are not here ({shown}); put them beside the file or give density"
        )
    notes.append(f"{len(missing)} meshes are not here ({shown})")


def _folders(root: Element, beside: Path) -> list[Path]:
    """Where meshes are looked for; the compiler's own words for it are taken out, as paths are full afterwards."""
    folders = [beside]
    for compiler in root.findall("compiler"):
        for key in ("meshdir", "assetdir", "texturedir"):
            named = compiler.attrib.pop(key, None)
            if named and key != "texturedir":
                folders.insert(0, (beside / named).resolve())
        compiler.attrib.pop("strippath", None)
    return folders


def _defaults(root: Element) -> dict[str, dict[str, str]]:
    """Class -> attributes of its geoms, those of the classes around it included."""
    found: dict[str, dict[str, str]] = {}
    waiting: list[tuple[Element, str, dict[str, str]]] = [
        (item, item.get("class", "main"), {}) for item in root.findall("default")
    ]
    while waiting:
        item, name, around = waiting.pop()
        geom = item.find("geom")
        found[name] = {**around, **(geom.attrib if geom is not None else {})}
        waiting += [(child, child.get("class", ""), found[name]) for child in item.findall("default")]
    return found


def _bodies(root: Element) -> Iterator[tuple[Element, str]]:
    """All bodies, the world first, each with the class of its children."""
    waiting = [(item, item.get("childclass", "main")) for item in root.findall("worldbody")]
    while waiting:
        body, klass = waiting.pop()
        yield body, klass
        inside = [child for child in body if child.tag in ("body", "frame", "replicate")]
        waiting += [(child, child.get("childclass", klass)) for child in inside]
