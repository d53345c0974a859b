"""Dry sand on slices of body: granular resistive force theory, which knows the direction of motion and not its speed.

`slender` is the law of round, thin bodies (Maladen, Ding, Li and Goldman 2009); `surface` sums the stress on the faces
of the section (Li, Zhang and Goldman 2013), with the oblique split of Treers, Cao and Stuart (2021). Sand has no
memory here: its surface stays level. Every direction fades below a speed ε, where 1/|v| becomes 1/sqrt(v² + ε²).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, cross, dot, product, transpose
from limbless.mechanics.compiled import (
    Scalar,
    absolute,
    constants,
    exponential,
    func,
    logarithm,
    maximum,
    some_positive,
    sqrt,
    version_for,
    where_positive,
)
from limbless.mechanics.forces.laws import (
    EllipticSection,
    OnBody,
    OnSegment,
    Slice,
    law_slice,
    law_wrench,
    plain_law,
    sliced_wrench,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


class ObliqueFits(NamedTuple):
    """Shares f1 and f23 of an oblique motion: the fits of Treers, Cao and Stuart (2021), by their published code."""

    across: tuple[float, ...] = (0.440850096954369, 3.62263982880971, 1.60910808139526, 0.832324700111401)
    ahead: tuple[float, ...] = (1.99392673405210, 1.61146827229181, 0.973746396532650, 5.81083560370960)
    tiny: float = 1e-30  # of squares: what keeps a direction finite where there is none


fits = ObliqueFits()


class InSand(EllipticSection):
    """Where the sand is, and how its resistance begins."""

    speed: float  # ε, m/s
    surface: float  # height of the free surface, m;
    depth: float  # or the same depth everywhere, m
    deep: bool


class OnFaces(InSand):
    """The law of (11)-(12), times the strength of the sand."""

    vertical: Vector  # A00, A10, B11 of (11), N/m3
    vertical_more: Vector  # B01, B-11, and the friction of faces that do not lead, N/m3
    horizontal: Vector  # C11, C01, C-11 of (12)
    twice: float  # D10
    leading: float  # δ: how softly a face begins to lead


@constants
class SlenderSand(InSand, OnSegment):
    """A straight segment of a thin, round body."""

    lateral: float  # C_S, per depth and area, N/m3
    along: float  # C_F
    along_slip: float  # C_L
    gamma: float


@constants
class SurfaceSand(OnFaces, OnSegment):
    """A straight segment whose section is cut into faces."""

    faces: int


@constants
class SandEnd(OnFaces, OnBody):
    """The flat end of a thin body: `OnFaces` counts in the form `surface` alone."""

    start: Vector  # its centre, in its body, m
    frame: Matrix  # of the segment that ends there
    side: float  # 1 at the end of a segment, -1 at its start
    stress: float  # C_E, N/m3; of the form `slender`
    faced: bool


SlenderSandLaw = plain_law("SlenderSandLaw", SlenderSand, bands=True)
SurfaceSandLaw = plain_law("SurfaceSandLaw", SurfaceSand, bands=True)
SandEndLaw = plain_law("SandEndLaw", SandEnd)
version_for(law_wrench, SlenderSandLaw)(sliced_wrench)
version_for(law_wrench, SurfaceSandLaw)(sliced_wrench)


@func
def mean_depth(row: Any, place: Vector, up: Vector) -> Scalar:
    """q(d), m: mean of max(0, depth) over a section; `up` is the vertical, along the axes of the slice."""
    a, b = row.half_width * up.y, row.half_height * up.z
    reach = sqrt(a * a + b * b + fits.tiny)
    d = row.surface - place.z
    cut = (d + reach) * (d + reach) / (4.0 * reach)
    return where_positive(d - reach, d, where_positive(d + reach, cut, 0.0 * d))


@func
def slender_force(sand: SlenderSand, q: Scalar, v: Vector) -> Vector:
    """Per unit length of a slice at mean depth q (8), with its fading."""
    a, b, fading = sand.half_width, sand.half_height, sand.speed * sand.speed
    across = v.y * v.y + v.z * v.z
    scale = 1.0 / sqrt(v.x * v.x + across + fading)
    wide = (a * a * (v.z * v.z) + b * b * (v.y * v.y) + b * b * fits.tiny) / (across + fits.tiny)
    sin2 = across * scale * scale
    side = 2.0 * sqrt(wide) * sand.lateral * sand.gamma * scale / sqrt(1.0 + sand.gamma * sand.gamma * sin2)
    blunt = 1.0 - sqrt(sin2 + fading * scale * scale)
    head_on = sand.along * v.x * scale + sand.along_slip * blunt * v.x / sqrt(v.x * v.x + fading)
    return -q * Vector((a + b) * head_on, side * v.y, side * v.z)


@version_for(law_slice, SlenderSandLaw)
@func
def slender_slice(kind: Any, sand: SlenderSand, t: Scalar, piece: Slice) -> Wrench:
    q = sand.depth if sand.deep else mean_depth(sand, piece.place, piece.axes.z)
    force = slender_force(sand, q, piece.velocity)
    return Wrench(force, 0.0 * force)


# ----------------------------------------------------------------------------------------------------- faces (Li 2013)


@func
def stress_of(sand: SurfaceSand, sb: Scalar, cb: Scalar, sg: Scalar, cg: Scalar) -> tuple[Scalar, Scalar]:
    """(11), (12) from sines and cosines of the tilt β of a face and of the attack γ of its motion: what the face feels
    per area and depth along its own horizontal e, α_x, and along the vertical, α_z.
    """
    s2, c2 = 2.0 * sb * cb, cb * cb - sb * sb
    V, W, H = sand.vertical, sand.vertical_more, sand.horizontal
    up = V.x + V.y * c2 + V.z * (s2 * cg + c2 * sg) + W.x * sg + W.y * (sg * c2 - cg * s2)
    along = H.x * (c2 * cg - s2 * sg) + H.y * cg + H.z * (cg * c2 + sg * s2) + sand.twice * s2
    return along, up


@func
def share_across(x: Scalar) -> Scalar:
    """f1 of (10): tanh by an exponential."""
    bent = 1.0 - 2.0 / (exponential(2.0 * (fits.across[1] * x - fits.across[2])) + 1.0)
    return fits.across[0] * (bent + math.tanh(fits.across[2])) / fits.across[3]


@func
def share_ahead(x: Scalar) -> Scalar:
    """f23 of (10): atanh by a logarithm."""
    y = fits.ahead[1] * x - fits.ahead[2]
    return fits.ahead[0] * (0.5 * logarithm((1.0 + y) / (1.0 - y)) + math.atanh(fits.ahead[2])) / fits.ahead[3]


@func
def face_stress(sand: SurfaceSand, n: Vector, v: Vector) -> Vector:
    """Stress per depth (N/m3) on a face of outer normal n that moves with v, world axes (10), and the skin of faces
    that do not lead."""
    fading, flat, level = sand.speed * sand.speed, n.x * n.x + n.y * n.y, v.x * v.x + v.y * v.y
    tilted = flat - 1e-18
    x, y = where_positive(tilted, n.x, v.x), where_positive(tilted, n.y, v.y)
    unit = 1.0 / sqrt(where_positive(tilted, flat, level + fits.tiny))
    unit = where_positive(v.x * x + v.y * y, unit, -unit)
    e = Vector(unit * x, unit * y, 0.0 * x)
    ahead, side = dot(v, e), v.x * e.y - v.y * e.x  # along e, and along t = e x z
    within = ahead * ahead + v.z * v.z
    slow, own = 1.0 / sqrt(level + v.z * v.z + fading), 1.0 / sqrt(within + fading)
    along, up = stress_of(sand, dot(n, e), -n.z, -v.z * own, ahead * own)
    pressed = dot(n, v)
    c = pressed * slow
    lead = c / sqrt(c * c + sand.leading * sand.leading + fits.tiny)
    slides, skin = 1.0 - maximum(lead, 0.0 * lead), sand.vertical_more.z
    f23 = 0.5 * (1.0 + lead) * share_ahead(sqrt(within) * slow)
    plain = sand.horizontal.x + sand.horizontal.y + sand.horizontal.z
    counted = where_positive(skin, 1.0 - slides, 0.5 * (1.0 + lead))
    f1 = counted * share_across(absolute(side) * slow) * plain * side / sqrt(side * side + fading)
    rub = slides * skin * slow
    slip = v - pressed * n
    return Vector(
        -f23 * along * e.x - f1 * e.y - rub * slip.x,
        -f23 * along * e.y + f1 * e.x - rub * slip.y,
        f23 * up - rub * slip.z,
    )


@version_for(law_slice, SurfaceSandLaw)
@func
def faces_slice(kind: Any, sand: SurfaceSand, t: Scalar, piece: Slice) -> Wrench:
    """Per unit length on the faces of the section: summed along the world axes, with the cosine and the sine of each
    face's angle, which make the torque. Faces above the sand are passed over."""
    E, a, b, zero = piece.axes, sand.half_width, sand.half_height, 0.0 * piece.velocity
    v, e2, e3 = E @ piece.velocity, Vector(E.x.y, E.y.y, E.z.y), Vector(E.x.z, E.y.z, E.z.z)
    spin = E @ piece.rate
    swing2, swing3 = a * cross(spin, e2), b * cross(spin, e3)
    top = sand.depth if sand.deep else sand.surface - piece.place.z
    c, s = math.cos(math.pi / sand.faces), math.sin(math.pi / sand.faces)
    step, turn_c, turn_s = 2.0 * math.pi / sand.faces, c * c - s * s, 2.0 * c * s
    force, with_c, with_s = zero, zero, zero
    for _ in range(sand.faces):
        d = top - (a * c * e2.z + b * s * e3.z)
        if some_positive(d):
            size = sqrt(a * a * (s * s) + b * b * (c * c))
            n = (1.0 / size) * (b * c * e2 + a * s * e3)
            f = step * size * maximum(d, 0.0 * d) * face_stress(sand, n, v + c * swing2 + s * swing3)
            force, with_c, with_s = force + f, with_c + c * f, with_s + s * f
        c, s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
    T = transpose(E)
    p, q = a * (T @ with_c), b * (T @ with_s)
    return Wrench(T @ force, Vector(p.z - q.y, q.x, -p.x))


@version_for(law_wrench, SandEndLaw)
@func
def end_wrench(kind: Any, end: SandEnd, laws: Any, t: Scalar, body: Body) -> Wrench:
    """On the face at an end, where it leads (9) or as any face (10), about the origin of its body, along the world
    axes."""
    axes, arm = product(body.rotation, end.frame), body.rotation @ end.start
    n = end.side * Vector(axes.x.x, axes.y.x, axes.z.x)
    q = end.depth if end.deep else mean_depth(end, body.origin + arm, axes.z)
    v = body.velocity.linear + cross(body.velocity.angular, arm)
    if end.faced:
        stress = face_stress(end, n, v)
    else:
        ahead = maximum(dot(n, v), 0.0 * n.x) / sqrt(dot(v, v) + end.speed * end.speed)
        stress = -(end.stress * ahead) * n
    force = (math.pi * end.half_width * end.half_height * q) * stress
    return Wrench(force, cross(arm, force))
