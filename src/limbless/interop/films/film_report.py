"""What is printed of a film: one block of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.interop.films.prediction import UNDETERMINED

if TYPE_CHECKING:
    from limbless.interop.films.film import Film
    from limbless.interop.films.prediction import Prediction
    from limbless.interop.identification.identified import Identified

_WIDTH = 11


def lines(film: Film, predicted: Prediction | None = None, identified: Identified | None = None) -> list[str]:
    """Film, body, wave, swimming, predicted, cost, identified, notes."""
    found = [("film", _film(film)), ("body", _body(film)), ("wave", _wave(film))]
    if film.placed:
        found.append(("swimming", _travel(film)))
    if predicted is not None:
        found += _predicted(predicted)
    if identified is not None:
        found += [("identified", line) for line in identified.lines()]
    found += [("note", note) for note in (*film.notes, *(() if predicted is None else predicted.notes))]
    return [f"{label:<{_WIDTH}}{text}" for label, text in found]


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


def length_text(metres: float, metric: bool) -> str:
    """A length in the unit that suits its size."""
    if not metric:
        return f"{metres:.4g} L"
    if metres < 5e-5:
        return f"{1e6 * metres:.3g} um"
    return f"{1e3 * metres:.3g} mm" if metres < 1.0 else f"{metres:.4g} m"


def _metric(film: Film) -> bool:
    return str(film.midline.attrs["unit"]) == "m"


def _film(film: Film) -> str:
    numbers = film.numbers()
    noise, share = numbers["tracking_noise"], 100.0 * numbers["tracking_noise_share"]
    missing = {word: numbers[f"missing_{word}s"] for word in ("frame", "point")}
    gaps = " and ".join(_counted(count, f"missing {word}") for word, count in missing.items() if count)
    size = f"{share:.2g} % of the length"
    size = f"{length_text(noise, True)} ({size})" if _metric(film) else size
    return (
        f"{numbers['frames']} frames, {numbers['points']} points, {numbers['rate']:.4g} /s; {gaps or 'no gaps'}, "
        f"{_counted(numbers['outliers'], 'outlier')}; tracking noise {size}"
    )


def _body(film: Film) -> str:
    numbers = film.numbers()
    text = f"length {length_text(film.length, _metric(film))} +- {100.0 * numbers['length_spread']:.1g} %"
    given = numbers["given_length"]
    if given is None:
        return text + "" if _metric(film) else f"length unknown (1 L) +- {100.0 * numbers['length_spread']:.1g} %"
    if film.midline.attrs["scaled"] or "kymogram" in str(film.midline.attrs["format"]):
        return f"{text}   (scaled to the given length)"
    off = 100.0 * abs(film.length / given - 1.0)
    return f"{text}   (given {1e3 * given:.4g}: the film's unit fits within {off:.1g} %)"


def _wave(film: Film) -> str:
    k, n, errors = film.kinematics, film.kinematics.numbers, film.kinematics.errors
    way = "from head to tail" if k.wave.from_head else "from tail to head"
    text = (
        f"{n['frequency']:.4g} +- {errors.get('frequency', 0.0):.1g} Hz, {n['wavelength_L']:.3g} L long, "
        f"{n['wave_speed_L']:.3g} L/s {way}"
    )
    if "tail_amplitude_L" in n:
        text += f"; tail +-{n['tail_amplitude_L']:.3f} L, head +-{n['head_amplitude_L']:.3f} L"
    return text


def _travel(film: Film) -> str:
    n = film.kinematics.numbers
    size = f" ({n['speed']:.3g} m/s, Re {n['reynolds']:.0e})" if _metric(film) else ""
    return f"{n['speed_L']:.3g} L/s{size}, slip {n['slip']:.2f}, Strouhal {n['strouhal']:.2f}"


def _predicted(p: Prediction) -> list[tuple[str, str]]:
    L = p.length
    filmed = "" if p.filmed_speed is None else f", filmed {p.filmed_speed / L:.3g}"
    if not p.determined:
        low, high = (value / L for value in p.range)
        return [
            ("predicted", f"{UNDETERMINED}: other smoothings of it give {low:.2g} to {high:.2g} L/s{filmed}  ({p.law})")
        ]
    about = [p.law]
    if p.speed_from_rest is not None:
        about.append(f"from rest {p.speed_from_rest / L:.3g}")
    if p.variants:
        about.append(f"ten times more or less smoothing changes it by {100.0 * p.spread:.1g} %")
    about += [f"{name}: {value / L:.3g}" for name, value in p.others.items()]
    cost = "" if p.cost_of_transport is None else f", cost of transport {p.cost_of_transport:.2f}"
    off, moment = p.load_errors, p.bending_moment()
    unit, size = ("uJ", 1e6) if p.work_per_beat < 1e-3 else ("J", 1.0)
    work = f"{size * p.work_per_beat:.3g}{_off(off and size * float(off.work))} {unit}"
    bent = f"{moment['value']:.3g}{_off(moment['error'])} N m at {moment['place_L']:.2g} L"
    return [
        ("predicted", f"{p.speed / L:.3g} L/s in the last two beats{filmed}   ({'; '.join(about)})"),
        ("cost", f"{work} per beat{cost}   (width: {p.width})"),
        ("moment", f"largest amplitude of bending {bent}"),
    ]


def _off(error: float | None) -> str:
    return "" if error is None else f" +- {error:.1g}"
