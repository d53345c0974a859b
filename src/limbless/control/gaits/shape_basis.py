"""`Shapes`: a few numbers that a whole body bends by: joints, waves, principal components, or columns of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array, InputError

MOST_SHAPES = 6


@dataclass(frozen=True)
class Shapes:
    """Shape coordinates of a body: its bends are a rest shape plus a basis times a few numbers.

    The bends are rest + basis r with p coordinates r. Stations are the joints of a chain (rad) or the nodes of a rod
    (curvature, 1/m).

    Attributes
    ----------
    basis : (stations, p); None where they follow from the robot (`joints`, `waves`) or from a motion (`principal`).
    rest : (stations,) what r = 0 stands for; straight if absent.
    names : one word for each coordinate.
    unit : of the coordinates.
    share : of the variance of a motion that its principal components keep.
    """

    basis: Array | None = None
    rest: Array | None = None
    names: tuple[str, ...] = ()
    unit: str = ""
    share: float = 1.0
    wave: float | None = None
    count: int = 2
    joints: tuple[int, ...] | None = None
    source: Any = None

    @classmethod
    def waves(cls, waves: float = 1.0, count: int = 2) -> Shapes:
        """cos and sin of so many waves along the body, then of twice as many, ..: the serpenoid curve."""
        if not np.isfinite(waves) or waves == 0.0:
            raise InputError(f"shapes: give the waves along the body, a number that is not 0; got {waves}")
        return cls(wave=float(waves), count=int(count))

    @classmethod
    def principal(cls, source: Any, count: int = 2) -> Shapes:
        """The principal components of a motion: rows of postures (T, stations), a gait, a result or a film."""
        return cls(source=source, count=int(count))

    @classmethod
    def of(cls, given: Any, joints: Sequence[int] | None = None) -> Shapes:
        """From what a user writes: `joints`, `waves 1`, an array (stations, p), or Shapes."""
        if isinstance(given, Shapes):
            return given
        if isinstance(given, str):
            word, _, number = given.replace(":", " ").partition(" ")
            try:
                if word == "joints" and not number:
                    return cls(joints=None if joints is None else tuple(joints))
                if word == "waves":
                    return cls.waves(float(number or 1.0))
            except ValueError:
                pass
            raise InputError(
                f"shapes: write joints, waves N (such as waves 1), or one row of numbers for each station; "
                f"got {given!r}"
            )
        try:
            basis = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            basis = np.zeros(0)
        if basis.ndim != 2:
            raise InputError(
                "shapes: give rows of one length, one for each joint (or node) and in it one number for each shape; "
                f"got {np.shape(given) if basis.size else given!r:.60}"
            )
        return cls(basis=basis)

    def resolved(self, places: ArrayLike, unit: str, postures: Any = None) -> Shapes:
        """With a basis for stations at `places` (shares of the length); `postures` turns a source into rows (T,
        stations)."""
        s, made = np.asarray(places, dtype=np.float64), self
        if self.source is not None:
            rows = np.asarray(self.source if postures is None else postures(self.source), dtype=np.float64)
            made = self._components(rows)
        elif self.wave is not None:
            turns = [(("cos", np.cos), ("sin", np.sin))[k % 2] for k in range(self.count)]
            waves = [self.wave * (k // 2 + 1) for k in range(self.count)]
            columns = [turn(2.0 * np.pi * wave * s) for (_, turn), wave in zip(turns, waves, strict=True)]
            names = tuple(f"{name} {wave:g}" for (name, _), wave in zip(turns, waves, strict=True))
            made = replace(self, basis=np.stack(columns, axis=1), names=names)
        elif self.basis is None:
            chosen = range(len(s)) if self.joints is None else self.joints
            wrong = [joint for joint in chosen if not 0 <= joint < len(s)]
            if wrong:
                raise InputError(f"joints: there is no joint {wrong[0]}; they are numbered 0 to {len(s) - 1}")
            names = tuple(f"joint {joint + 1}" for joint in chosen)
            made = replace(self, basis=np.eye(len(s))[:, list(chosen)], names=names)
        return made._checked(len(s), unit)

    def _components(self, rows: Array) -> Shapes:
        if rows.ndim != 2 or len(rows) < 3:
            raise InputError(f"shapes: principal components need at least 3 postures in rows; got shape {rows.shape}")
        rest = rows.mean(axis=0)
        _, sizes, axes = np.linalg.svd(rows - rest, full_matrices=False)
        total = float((sizes**2).sum())
        if total <= 1e-24 or len(sizes) < self.count or sizes[self.count - 1] <= 1e-9 * sizes[0]:
            kept = int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum()) if total > 1e-24 else 0
            raise InputError(
                f"shapes: this motion has {kept} principal component{'s' * (kept != 1)}, and {self.count} are asked "
                "for; a body that moves to and fro along one shape goes nowhere: give a motion with a wave, or fewer "
                "shapes"
            )
        columns = axes[: self.count].T
        # a sign and a scale that do not depend on the solver: the largest entry of each is 1
        columns = columns / columns[np.abs(columns).argmax(axis=0), np.arange(self.count)]
        share = float((sizes[: self.count] ** 2).sum() / total)
        names = tuple(f"component {k + 1}" for k in range(self.count))
        return replace(self, basis=columns, rest=rest, names=names, share=share, source=None)

    def _checked(self, stations: int, unit: str) -> Shapes:
        basis = self.basis
        if basis is None or basis.shape[0] != stations:
            raise InputError(
                f"shapes: this robot bends at {stations} stations, and the shapes have "
                f"{0 if basis is None else basis.shape[0]} rows; give one row for each"
            )
        p = basis.shape[1]
        if not 1 <= p <= MOST_SHAPES:
            raise InputError(
                f"shapes: give 1 to {MOST_SHAPES} of them; got {p}. Name some joints (joints=[0, 1]), or take waves"
            )
        size = np.linalg.norm(basis, axis=0)
        if not np.isfinite(basis).all() or np.linalg.matrix_rank(basis / np.where(size > 0.0, size, 1.0)) < p:
            raise InputError(
                "shapes: one of them does nothing or is not finite, or two of them are the same; every shape must "
                "bend the body in a way of its own"
            )
        rest = np.zeros(stations) if self.rest is None else np.asarray(self.rest, dtype=np.float64)
        if rest.shape != (stations,):
            raise InputError(f"shapes: `rest` needs one number for each of the {stations} stations; got {rest.shape}")
        names = self.names if len(self.names) == p else tuple(f"shape {k + 1}" for k in range(p))
        return replace(self, rest=rest, names=names, unit=self.unit or unit)

    def coordinates(self, bends: Array) -> tuple[Array, float]:
        """Of bends (.., stations): r (.., p), and the largest bend that no r gives."""
        basis, rest = np.asarray(self.basis), np.asarray(self.rest)
        r = (bends - rest) @ np.linalg.pinv(basis).T
        return r, float(np.abs(rest + r @ basis.T - bends).max(initial=0.0))
