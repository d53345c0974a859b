"""The two ways in which limbless refuses: bad input, and a run that failed."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FEW = 12  # names that a sentence still holds


class InputError(ValueError):
    """Input that limbless refuses; the message says what was given, what is allowed and what to try."""


class SimulationError(RuntimeError):
    """A run that could not continue.

    Attributes
    ----------
    time : simulated time of the failure (s), or None.
    place : the link, joint or section where it showed, or None.
    result : what was computed until then (`Result`), or None.
    """

    def __init__(self, message: str, time: float | None = None, place: str | None = None, result: Any = None) -> None:
        super().__init__(message)
        self.time, self.place, self.result = time, place, result


def nearest(name: object, known: Iterable[str], listed: str = "") -> str:
    """A sentence for an unknown name: the nearest known one and all of them, or the command that lists so many."""
    names = sorted(known)
    text = str(name)
    close = get_close_matches(text, names, n=1, cutoff=0.6) or [one for one in names if text and one.startswith(text)]
    hint = f"did you mean {close[0]!r}? " if close else ""
    if listed and len(names) > _FEW:
        return f"{hint}`limbless {listed}` shows all {len(names)}"
    return f"{hint}known: {', '.join(names)}"


def refuse_unknown(given: Iterable[object], known: Iterable[str], what: str) -> None:
    """Refuse the first name that is not among the known ones: `what` says where it stands and what it is to be."""
    names = list(known)
    for name in given:
        if name not in names:
            raise InputError(f"{what} {name!r}; {nearest(name, names)}")


def printable(text: object) -> str:
    """Text for a terminal: characters that would steer it, which a stranger's file may hold, are written out."""
    return "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in str(text))


def refuse_numbers(field: str, chosen: Sequence[int], count: int, what: str) -> None:
    """Refuse a list of numbers of things that does not name some of 0 .. count - 1, each once."""
    for place, number in enumerate(chosen):
        if not 0 <= number < count:
            raise InputError(f"{field}: entry {place} is {number}, but there are {what} 0 to {count - 1}")
        if number in chosen[:place]:
            raise InputError(
                f"{field}: entries {list(chosen).index(number)} and {place} both name {number}; name "
                f"each of the {what} once"
            )
