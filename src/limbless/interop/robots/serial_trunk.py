"""From a tree to the serial trunk that a chain is: fixed joints merged, the base found, the spine chosen, what hangs on
it welded, dropped or refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, nearest, refuse_unknown
from limbless.interop.robots.body_shapes import seen_shapes
from limbless.interop.robots.tree import MOVING, Array, Connection, FilePart, Tree, is_wheel

if TYPE_CHECKING:
    from limbless.robots.presets.from_file import FromFile

_MOST_NAMED = 6
_HEAVIER = 2.0
"""How much heavier than the next a branch must be for the spine to go on along it."""


@dataclass
class Trunk:
    """Parts in a row, each but the first on a joint to the one before."""

    parts: list[FilePart]
    joints: list[Connection]
    base: Any  # one of `robots.chain.Base`
    base_axis: Array | None = None  # of a planar base: the normal of its plane
    armature: tuple[float, float, Array] | None = None  # of the base: kg, kg m2, where
    wheels: dict[str, list[str]] = field(default_factory=dict)  # trunk part -> wheels welded to it
    notes: list[str] = field(default_factory=list)


def names(words: list[str]) -> str:
    """A few of many names."""
    return ", ".join(words[:_MOST_NAMED]) + (", .." if len(words) > _MOST_NAMED else "")


def trunk_of(tree: Tree, options: FromFile) -> Trunk:
    """The trunk of a tree, or an `InputError` with everything that keeps it from being one."""
    problems = tree.problems or _structure(tree)
    frozen = list(options.freeze)
    known = [joint.name for joint in tree.connections]
    problems += [f"freeze: there is no joint {name!r}; {nearest(name, known)}" for name in frozen if name not in known]
    if problems:
        raise several(problems)
    _give_own_names(tree.connections)
    _merge(tree, [joint for joint in tree.connections if joint.kind == "fixed" or joint.name in frozen])
    if frozen:
        tree.notes.append(f"held at zero as asked: {names(frozen)}")
    base, base_axis, armature, notes = _base(tree)
    root = _root(tree)
    if not tree.connections:
        raise InputError("the file describes no moving joint: fixed parts only, or a template that a program completes")
    if not sum(part.mass for part in tree.parts.values()):
        raise InputError("no link has mass: give density: 1000 to make it from the collision shapes")
    row, distance = _named_path(tree, options) if options.trunk else _spine(tree), _depths(tree, root)
    if (distance[row[-1]] < distance[row[0]]) != options.reverse:
        row = row[::-1]
    joints, side = _along(tree, row)
    trunk = Trunk([tree.parts[name] for name in row], joints, base, base_axis, armature, notes=notes)
    problems = [*_coupled(tree, trunk), *_unmodelled(joints)]
    problems += _branches(tree, trunk, side, options) if side else []
    if problems:
        raise several(problems)
    if not joints:
        raise InputError("no spine: no branch of the tree outweighs the others; trunk: [first, last] names its ends")
    if options.base is not None:
        trunk.base = options.base
        trunk.notes = [note for note in trunk.notes if not note.startswith("base: ")]  # told of what is not asked
    elif row[0] != root and base != "free":
        trunk.base = "free"
        trunk.notes.append(f"link 0 is {row[0]!r}, not the file's root {root!r}: its base is free")
    return trunk


def several(problems: list[str]) -> InputError:
    """One error that says all of them."""
    first, *others = dict.fromkeys(problems)
    every = "\n".join(f"  {problem}" for problem in [first, *others][:40])
    return InputError(f"{len(others) + 1} errors\n{every}" if others else first)


def _structure(tree: Tree) -> list[str]:
    """What is wrong with the tree as a tree."""
    problems = []
    hung: dict[str, list[str]] = {}
    for joint in tree.connections:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in tree.parts:
                problems.append(f"joint {joint.name!r} names the {end} {name!r}, and there is no such link")
        if joint.parent == joint.child:
            problems.append(f"joint {joint.name!r} joins link {joint.child!r} to itself")
        hung.setdefault(joint.child, []).append(joint.name)
    for child, several_joints in hung.items():
        if len(several_joints) > 1:
            problems.append(
                f"link {child!r} hangs on {_count(len(several_joints))} joints "
                f"({', '.join(map(repr, several_joints))}): limbless robots have no loops"
            )
    roots = [name for name in tree.parts if name not in hung]
    if not tree.parts:
        problems.append("it describes no link")
    elif not problems and not roots:
        problems.append(f"links {names(list(tree.parts))} hang on each other in a ring: there is no root")
    elif not problems and len(roots) > 1:
        problems.append(f"{_count(len(roots))} root links: {names(roots)}; a robot has one")
    elif not problems and len(_depths(tree, roots[0])) < len(tree.parts):
        lost = [name for name in tree.parts if name not in _depths(tree, roots[0])]
        problems.append(f"links {names(lost)} hang on each other in a ring, apart from the root {roots[0]!r}")
    return problems


def _count(number: int) -> str:
    return {2: "two", 3: "three", 4: "four"}.get(number, str(number))


def _give_own_names(joints: list[Connection]) -> None:
    seen: Counter[str] = Counter()
    for joint in joints:
        seen[joint.name] += 1
        if seen[joint.name] > 1:
            joint.name = f"{joint.name} ({seen[joint.name]})"


def _depths(tree: Tree, start: str) -> dict[str, int]:
    """How many joints each part is away from one."""
    near: dict[str, list[str]] = {}
    for joint in tree.connections:
        near.setdefault(joint.parent, []).append(joint.child)
        near.setdefault(joint.child, []).append(joint.parent)
    depths, waiting = {start: 0}, [start]
    for name in waiting:
        for other in near.get(name, ()):
            if other not in depths:
                depths[other] = depths[name] + 1
                waiting.append(other)
    return depths


def _root(tree: Tree) -> str:
    children = {joint.child for joint in tree.connections}
    return next(name for name in tree.parts if name not in children)


def _merge(tree: Tree, welds: list[Connection]) -> None:
    """Child into parent for each of these joints; where the parent is the world, the child's name stays."""
    at = {name: name for name in tree.parts}

    def home(name: str) -> str:
        while at[name] != name:
            name = at[name]
        return name

    for joint in welds:
        parent, child = tree.parts[home(joint.parent)], tree.parts[home(joint.child)]
        if parent.name == tree.grounded:
            child.merge(parent)
            at[parent.name], tree.grounded = child.name, child.name
            tree.parts.pop(parent.name)
            child.also.remove(parent.name)
        else:
            parent.merge(child)
            at[child.name] = parent.name
            tree.parts.pop(child.name)
    tree.connections = [joint for joint in tree.connections if joint not in welds]
    for joint in tree.connections:
        joint.parent, joint.child = home(joint.parent), home(joint.child)


def _base_joints(tree: Tree) -> tuple[list[Connection], str]:
    """Joints from a root without mass to the first part that has some, and that root."""
    root, found = _root(tree), []
    here = root
    while tree.parts[here].mass == 0.0:
        below = [joint for joint in tree.connections if joint.parent == here]
        if len(below) != 1:
            break
        found.append(below[0])
        here = below[0].child
    return found, root


def _base(tree: Tree) -> tuple[str, Array | None, tuple[float, float, Array] | None, list[str]]:
    """How the base moves: joints of the file that say so are taken off."""
    leading, root = _base_joints(tree)
    kinds = [joint.kind for joint in leading]
    slides = [joint for joint in leading if joint.kind == "prismatic"]
    hinges = [joint for joint in leading if joint.kind == "revolute"]
    free = kinds == ["floating"] or _spans_space(slides, hinges, kinds)
    plane = leading[0].axis if kinds == ["planar"] else hinges[0].axis if _spans_plane(slides, hinges, kinds) else None
    if free or plane is not None:
        tree.connections = [joint for joint in tree.connections if joint not in leading]
        for joint in leading:
            tree.parts.pop(joint.parent)
        return "free" if free else "planar", plane, _armature(leading, slides), _held_back(leading)
    if tree.grounded == root:
        return "fixed", None, None, ["base: the file fixes the robot to the world"]
    if tree.parts[root].mass == 0.0:
        first = next((joint.name for joint in tree.connections if joint.parent == root), "")
        return (
            "fixed",
            None,
            None,
            [f"base: fixed, because the root {root!r} has no mass and carries joint {first!r}: it could not float"],
        )
    return "free", None, None, ["base: free, which the file does not say (base: fixed or planar says otherwise)"]


def _held_back(leading: list[Connection]) -> list[str]:
    """What the joints of the base have beside their motion: a base here moves without any of it."""
    found = {
        "damping": any(joint.damping for joint in leading),
        "friction": any(joint.friction for joint in leading),
        "springs": any(joint.stiffness for joint in leading),
        "motors": any(joint.actuated for joint in leading),
        "ranges": any(joint.lower is not None or joint.upper is not None for joint in leading),
    }
    lost, told = [word for word, given in found.items() if given], names([joint.name for joint in leading])
    return [f"{' and '.join(lost)} of the joints of the base ({told}) not kept: the base moves freely"] if lost else []


def _spans_space(slides: list[Connection], hinges: list[Connection], kinds: list[str]) -> bool:
    if sorted(kinds) not in (["prismatic"] * 3 + ["revolute"] * 3, ["prismatic"] * 3 + ["spherical"]):
        return False
    frames = [np.array([joint.axis for joint in group]) for group in (slides, hinges) if group]
    return all(abs(np.linalg.det(axes)) > 0.5 for axes in frames)


def _spans_plane(slides: list[Connection], hinges: list[Connection], kinds: list[str]) -> bool:
    if sorted(kinds) != ["prismatic", "prismatic", "revolute"]:
        return False
    return abs(np.linalg.det([joint.axis for joint in (*slides, *hinges)])) > 0.99


def _armature(leading: list[Connection], slides: list[Connection]) -> tuple[float, float, Array] | None:
    """Rotor inertia of the base: equal along its slides, and about its hinges; None without any, or where unequal."""
    along = [joint.armature for joint in slides]
    about = [joint.armature for joint in leading if joint.kind in ("revolute", "spherical")]
    if leading[0].kind == "floating":
        along = about = [leading[0].armature]
    if not any(along) and not any(about):
        return None
    if len(set(along)) > 1 or len(set(about)) > 1:
        return (-1.0, -1.0, leading[-1].anchor)
    return (along[0] if along else 0.0, about[0] if about else 0.0, leading[-1].anchor)


def _weights(tree: Tree) -> dict[str, list[tuple[float, str]]]:
    """Part -> its neighbours, each with the mass that lies in that direction, heaviest first."""
    root = _root(tree)
    depths = _depths(tree, root)
    carried = {name: part.mass for name, part in tree.parts.items()}
    above = {joint.child: joint.parent for joint in tree.connections}
    for name in sorted(above, key=lambda name: -depths[name]):
        carried[above[name]] += carried[name]
    whole = carried[root]
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in tree.parts}
    for child, parent in above.items():
        found[parent].append((carried[child], child))
        found[child].append((whole - carried[child], parent))
    return {name: sorted(items, key=lambda item: -item[0]) for name, items in found.items()}


def _spine(tree: Tree) -> list[str]:
    """From the part that best balances its two heaviest directions, both ways along branches
    that outweigh all others.
    """
    wheels = {
        joint.child
        for joint in tree.connections
        if len(tree.connections_of(joint.child)) == 1
        and 2 * tree.parts[joint.child].mass <= tree.parts[joint.parent].mass
        and is_wheel(tree.parts[joint.child], joint)
    }
    near = {
        name: [item for item in items if item[1] not in wheels]
        for name, items in _weights(tree).items()
        if name not in wheels
    }

    def imbalance(name: str) -> float:
        first, second = ([mass for mass, _ in near[name]] + [0.0, 0.0])[:2]
        return abs(first - second)

    start = min(near, key=imbalance)
    least = max(_HEAVIER * near[start][2][0], 1e-300) if len(near[start]) > 2 else 0.0
    halves = [_walk(near, start, towards) if mass >= least else [] for mass, towards in near[start][:2]]
    ahead, behind = [*halves, [], []][:2]
    return [*reversed(behind), start, *ahead]


def _walk(near: dict[str, list[tuple[float, str]]], start: str, towards: str) -> list[str]:
    row = [start, towards]
    while True:
        ahead = [item for item in near[row[-1]] if item[1] != row[-2]]
        if not ahead or (len(ahead) > 1 and (ahead[0][0] == 0.0 or ahead[0][0] < _HEAVIER * ahead[1][0])):
            return row[1:]
        row.append(ahead[0][1])


def _named_path(tree: Tree, options: FromFile) -> list[str]:
    """The parts between two that the user names."""
    homes = {name: part.name for part in tree.parts.values() for name in (part.name, *part.also)}
    lost = [name for name in options.trunk or () if name not in homes]
    refuse_unknown(lost, tree.parts, "trunk: there is no link")
    first, last = (homes[name] for name in options.trunk or ())
    row, depths = [last], _depths(tree, first)
    while row[-1] != first:
        near = [joint.parent if joint.child == row[-1] else joint.child for joint in tree.connections_of(row[-1])]
        row.append(min(near, key=lambda name: depths[name]))
    return row[::-1]


def _along(tree: Tree, row: list[str]) -> tuple[list[Connection], list[Connection]]:
    """The joints of the trunk in its order, those before the root turned round, and all others."""
    between = {(joint.parent, joint.child): joint for joint in tree.connections}
    joints, used = [], []
    for first, second in pairwise(row):
        joint = between.get((first, second))
        used.append(between[second, first] if joint is None else joint)
        joints.append(between[second, first].turned() if joint is None else joint)
    return joints, [joint for joint in tree.connections if joint not in used]


def _unmodelled(joints: list[Connection]) -> list[str]:
    problems = []
    for joint in joints:
        if joint.kind not in MOVING:
            problems.append(f"joint {joint.name!r} is {joint.kind}: only the base may move like that")
        if joint.mimic is not None:
            problems.append(
                f"joint {joint.name!r} mimics {joint.mimic!r}: coupled joints are not modelled; freeze: "
                f"[{joint.name}] holds it at zero"
            )
    return problems


def _coupled(tree: Tree, trunk: Trunk) -> list[str]:
    """Couplings of the trunk are refused, others are only said."""
    own = {joint.name for joint in trunk.joints} | {part.name for part in trunk.parts}
    own |= {name for part in trunk.parts for name in part.also}
    problems = []
    for text, members in tree.couplings:
        if own & set(members):
            problems.append(
                f"{text} couples parts of the body ({names([name for name in members if name in own])}): "
                "coupled joints are not modelled; freeze: [joint] holds one at zero"
            )
        else:
            trunk.notes.append(f"not read: {text}, which is not on the body")
    return problems


def _branches(tree: Tree, trunk: Trunk, side: list[Connection], options: FromFile) -> list[str]:
    """Side branches welded, dropped or refused."""
    row = {part.name for part in trunk.parts}
    under: dict[str, list[tuple[str, Connection]]] = {}
    for joint in side:
        under.setdefault(joint.parent, []).append((joint.child, joint))
        under.setdefault(joint.child, []).append((joint.parent, joint))
    carriers = [part for part in trunk.parts if part.name in under]
    lost = [name for part in carriers for name, _ in under[part.name]]
    if options.branches == "refuse":
        return [
            f"not a serial chain: {len(side)} joint{'s' * (len(side) > 1)} on side branches of {len(carriers)} "
            f"link{'s' * (len(carriers) > 1)} ({names(lost)}); branches: weld fixes them at zero, branches: drop "
            "removes them, trunk: [first, last] names another spine"
        ]
    shed = 0.0
    for part in carriers:
        waiting, seen = list(under[part.name]), {*row}
        while waiting:
            name, hinge = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            waiting += under[name]
            if options.branches == "drop":
                shed += tree.parts[name].mass
                continue
            if len(under[name]) == 1 and is_wheel(tree.parts[name], hinge):
                trunk.wheels.setdefault(part.name, []).append(name)
                part.wheels += seen_shapes(tree.parts[name])
            part.merge(tree.parts[name])
    what = "welded at zero" if options.branches == "weld" else f"dropped, {shed:.4g} kg"
    trunk.notes.append(f"side branches {what}: {len(side)} joints on {len(carriers)} links ({names(lost)})")
    return []
