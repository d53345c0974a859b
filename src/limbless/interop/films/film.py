"""`Film`: a tracked animal, from its file to its numbers, to the model's motion, to a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from limbless.core import InputError
from limbless.interop.films import deeplabcut, experiment, prediction, table_files
from limbless.interop.films.experiment import FilmedWidth, Medium
from limbless.interop.films.film_smoothing import SmoothFilm, body_coordinates, smooth_film
from limbless.interop.films.midline import Given, midline_of
from limbless.interop.films.midline_kinematics import VISCOSITY, Kinematics, with_errors
from limbless.interop.films.readers import read_track
from limbless.interop.films.tracks import Array

if TYPE_CHECKING:
    from limbless.interop.films.prediction import Prediction
    from limbless.interop.identification.identified import Identified
    from limbless.scenarios.scenario import Scenario

FEWEST = 4.5  # points for each wave: with 3.3 its length came out 7 % long, with 3.9 1.3 %, with 4.6 0.5 %
REVERSED = 1.3  # amplitude of the first point over that of the last from which on labels may be turned round
Width = float | str | Path | Sequence[tuple[float, float]] | None


class Film:
    """A tracked midline of an animal.

    Parameters
    ----------
    midline : tracked points (time, point, axis), m and s, from head to tail: see `midline_of`.

    `film.smooth` is the midline without its noise, `film.kinematics` its numbers with standard errors,
    `film.predict(..)` the model's motion of the same shape, `film.identify(..)` coefficients of the medium,
    `film.write(folder)` all of it.
    """

    def __init__(self, midline: xr.Dataset) -> None:
        self.midline = midline
        if midline.attrs["scaled"]:  # to the animal's length, which is that of the smooth midline
            size = (float(midline.attrs["length"]) or 1.0) / self.smooth.length
            self.smooth = self.smooth.scaled(size)
            self.midline = midline.assign(points=midline["points"] * size).assign_attrs(midline.attrs)

    @classmethod
    def load(
        cls,
        path: str | Path | xr.Dataset,
        length: Given = None,
        rate: Given = None,
        *,
        points: Sequence[str] | str | None = None,
        track: str | None = None,
        animal: str | None = None,
        likelihood: float = deeplabcut.LIKELIHOOD,
        kind: str | None = None,
        array: str | None = None,
        start: Given = None,
        until: Given = None,
    ) -> Film:
        """Read a film: SLEAP, DeepLabCut, WCON, Tierpsy, WormPose, movement, CSV, npy, npz.

        Parameters
        ----------
        path : the file, or a dataset of `movement`.
        length : of the animal, m. Without it, and without a unit in the file, one length is 1 m.
        rate : frames per second, where the file has no times.
        points : names of points from head to tail, a list or 'snout,..,tail'.
        track, animal : which one, where there are several.
        likelihood : points that are less likely are gaps.
        kind : what a table without x and y holds: `bend`, `curvature` or `angle`.
        array : which array of a `.npz`.
        start, until : the part of the film, s.

        Lengths, rates and times may be texts with a unit: '15 cm', '50 Hz', '200 ms'.
        """
        chosen = [name.strip() for name in points.split(",")] if isinstance(points, str) else points
        if isinstance(path, xr.Dataset):
            source = Path(str(path.attrs.get("source_file") or "movement"))
            found = table_files.from_movement(path, source, animal if animal is not None else track, likelihood)
        else:
            source = Path(path)
            found = read_track(source, track, animal, likelihood, kind, array)
        return cls(midline_of(found, source, length, rate, chosen, start, until))

    @property
    def name(self) -> str:
        """Of the file, without its ending."""
        return Path(str(self.midline.attrs["source"])).stem.removesuffix(".wcon")

    @property
    def placed(self) -> bool:
        """Whether it is known where the animal is; not of a kymogram."""
        return bool(self.midline.attrs["placed"])

    @property
    def width(self) -> FilmedWidth | None:
        """Rows of s and diameter, as shares of the length, where the film has them."""
        if "width" not in self.midline:
            return None
        along = body_coordinates(self.midline["points"].values)
        return FilmedWidth(zip(along.tolist(), self.midline["width"].values.tolist(), strict=True))

    @cached_property
    def smooth(self) -> SmoothFilm:
        """The midline without its noise."""
        return smooth_film(self.midline)

    @property
    def length(self) -> float:
        """Median length of the midline, m."""
        return self.smooth.length

    @property
    def noise(self) -> float:
        """Robust size of the residuals of one coordinate, m: a little less than the noise itself, of which a part goes
        into the fit (`smooth.surface.noise` makes up for that)."""
        raw, surface = self.midline["points"].values, self.smooth.surface
        return float(1.4826 * np.median(np.abs(raw - surface.values)[~surface.gaps]))

    @cached_property
    def kinematics(self) -> Kinematics:
        """Wave, speed, amplitudes, each with its standard error from refits."""
        return with_errors(self.smooth, self.placed)

    @property
    def period(self) -> float:
        """Of one beat, s."""
        return 1.0 / self.kinematics.wave.frequency

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this film, one sentence each."""
        found = [str(note) for note in self.midline.attrs["notes"]]
        amplitude = self.kinematics.amplitude
        if amplitude is not None and amplitude[0] > REVERSED * amplitude[-1]:
            found.append(
                f"points: the first sways {amplitude[0] / amplitude[-1]:.1f} times as far as the last; heads rarely "
                "do: if the labels run from tail to head, give --points the other way round (wave and travel then "
                "turn round together)"
            )
        each = (self.midline.sizes["point"] - 1) * float(self.kinematics.numbers["wavelength_L"])
        outliers, spread = int(self.smooth.surface.outliers.sum()), float(self.smooth.lengths.std() / self.length)
        doubtful = {
            "wave: it runs from tail to head; either the animal goes backward, or the labels do": (
                not self.kinematics.wave.from_head
            ),
            f"points: {each:.1f} for each wave; what the body does between so few is guessed, and the length of the "
            "wave may be several per cent off, which its standard error (of the tracking noise) does not show": (
                each < FEWEST
            ),
            f"outliers: {outliers} points lie far from where their neighbours put them, and were left out": outliers,
            f"length: the midline's varies by {100.0 * spread:.0f} % within the film; the body leaves the plane, or "
            "its ends are lost at times": spread > 0.05,
        }
        return (*found, *(note for note, there in doubtful.items() if there))

    def medium(self, name: str = "water", width: Width = None, changes: Mapping[str, Any] | None = None) -> Medium:
        """What `name` means for this animal: water by Reynolds' number."""
        rows, _ = experiment.widths_of(self.width if width is None else width, self.length)
        radius, wave = max(half for _, half in rows), self.kinematics.wave
        reynolds = self.kinematics.numbers.get("speed", wave.speed) * self.length / VISCOSITY
        metric = self.midline.attrs["unit"] == "m"
        return experiment.medium_of(name, radius, wave.wavelength, reynolds if metric else None, changes or ())

    def scenario(
        self,
        medium: str = "water",
        width: Width = None,
        changes: Mapping[str, Any] | None = None,
        links: int | None = None,
    ) -> Scenario:
        """A rod that bends as the animal did, in a medium, from the filmed pose and velocity; with `links` a chain of
        so many rigid links (model `newton-euler`), which other tools know."""
        return experiment.scenario_of(
            self.smooth,
            self.name,
            self.period,
            self.medium(medium, width, changes),
            self.width if width is None else width,
            moving=self.placed,
            changes=changes,
            links=links,
        )

    def predict(
        self,
        medium: str = "water",
        width: Width = None,
        changes: Mapping[str, Any] | None = None,
        sensitivity: bool = True,
    ) -> Prediction:
        """The model's motion of the filmed shape.

        Parameters
        ----------
        medium : `water` (below Reynolds' number 10 that of slow bodies), `slow-water`, `fast-water`, `agar` or
            `ground`.
        width : diameter of the body as a share of its length: a number, rows (s, diameter), or a CSV of them; the
            film's own if absent, else 0.05.
        changes : fields of the scenario to change, as for `ll.run`.
        sensitivity : whether it is repeated with other smoothings, and with noise, for the errors of forces and work.
        """
        return prediction.predict(
            self.smooth,
            self.name,
            self.period,
            self.medium(medium, width, changes),
            self.width if width is None else width,
            self.placed,
            changes,
            sensitivity,
        )

    def identify(
        self, paths: Sequence[str], medium: str = "water", width: Width = None, changes: Mapping[str, Any] | None = None
    ) -> Identified:
        """Coefficients of the medium that the film determines, with intervals: see `limbless.identify`."""
        from limbless.interop.films.identification import identify

        return identify(self, paths, medium, self.width if width is None else width, changes)

    def dataset(self) -> xr.Dataset:
        """Smoothed and raw points, residuals, curvature, heading and velocity: what `midline.nc` holds."""
        smooth, raw = self.smooth, self.midline
        along, axis = ("time", "abscissa"), ("time", "abscissa", "axis")
        data = xr.Dataset(
            {
                "position": (axis, smooth.position, {"units": "m", "long_name": "smoothed midline"}),
                "curvature": (along, smooth.curvature, {"units": "1/m", "long_name": "curvature, head to tail"}),
                "heading": (along, smooth.heading, {"units": "rad", "long_name": "direction from head to tail"}),
                "velocity": (axis, smooth.velocity, {"units": "m/s", "long_name": "velocity of the smoothed midline"}),
                "length": ("time", smooth.lengths, {"units": "m", "long_name": "length of the midline"}),
                "points": (
                    ("frame", "point", "axis"),
                    raw["points"].values,
                    {"units": "m", "long_name": "tracked points, NaN where absent"},
                ),
                "residual": (
                    ("frame", "point", "axis"),
                    raw["points"].values - smooth.surface.values,
                    {"units": "m", "long_name": "tracked minus smoothed points"},
                ),
                "outlier": (("frame", "point"), smooth.surface.outliers.astype(np.int8), {"units": "1"}),
            },
            coords={
                "time": ("time", smooth.time, {"units": "s"}),
                "frame": ("frame", raw["time"].values, {"units": "s"}),
                "abscissa": ("abscissa", smooth.abscissae, {"units": "m"}),
                "axis": ["x", "y"],
                "point": raw["point"].values.astype(str),
            },
        )
        return data.assign_attrs({**raw.attrs, "notes": "; ".join(self.notes), "body_length": self.length})

    def numbers(self) -> dict[str, Any]:
        """Everything about the film itself, for `summary.json`."""
        surface, attrs = self.smooth.surface, self.midline.attrs
        return {
            "source": attrs["source"],
            "format": attrs["format"],
            "unit": attrs["unit"],
            "rate": attrs["rate"],
            "frames": self.midline.sizes["time"],
            "points": self.midline.sizes["point"],
            "duration": float(self.smooth.time[-1]),
            "missing_frames": int(attrs["missing_frames"]),
            "missing_points": int(surface.gaps.sum()),
            "outliers": int(surface.outliers.sum()),
            "tracking_noise": self.noise,
            "tracking_noise_share": self.noise / self.length,
            "noise_made_up": surface.noise,
            "length": self.length,
            "length_spread": float(self.smooth.lengths.std() / self.length),
            "given_length": attrs["length"] or None,
        }

    def lines(self, predicted: Prediction | None = None, identified: Identified | None = None) -> list[str]:
        """What `limbless film` prints."""
        from limbless.interop.films.film_report import lines

        return lines(self, predicted, identified)

    def write(
        self,
        folder: str | Path,
        predicted: Prediction | None = None,
        identified: Identified | None = None,
        figures: bool = True,
        form: str = "png",
    ) -> list[Path]:
        """`midline.nc`, `curvature.csv`, `scenario.yaml`, `result.nc`, `filmed.nc`, `summary.json`, figures (`form`:
        png, and pdf or svg beside it), `report.html`, `notebook.ipynb`; returns the paths."""
        from limbless.interop.films.film_folder import write_folder

        return write_folder(self, Path(folder), predicted, identified, figures, form)

    def __repr__(self) -> str:
        return "\n".join([f"Film {self.name}", *(f"  {line}" for line in self.lines())])

    @staticmethod
    def from_points(points: Array, rate: float | str, length: Given = None, name: str = "film") -> Film:
        """A film from an array (frames, points, 2), head first, y up; NaN where a point is absent."""
        if np.ndim(points) != 3:
            raise InputError(f"points: needs an array (frames, points, 2); got {np.shape(points)}")
        return Film(midline_of(table_files.from_array(points, None, Path(name)), Path(name), length, rate))
