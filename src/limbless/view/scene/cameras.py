"""Where the view stands: what it follows, and where it begins."""

from __future__ import annotations

import numpy as np

from limbless.view.scene.frames import Array, Frames

FAR = 1e3  # how far the camera sees, in body lengths
FIELD = np.radians(34.0)  # of view: no stretched corners
_FILLED = 0.74, 0.55  # share of the picture's width and height that a body fills at most
_SAMPLES = 24  # frames that are looked at for it
_SMOOTH = 0.05  # share of the run over which the point that the view follows is averaged, for a gait without a
# period


VIEWS = {"side": (-90.0, 8.0), "front": (0.0, 15.0), "back": (180.0, 15.0), "top": (-90.0, 89.9)}
"""Name -> azimuth and elevation of a camera seen from the robot, degrees; straight from above there is no upright."""


def seen_from(position: Array, look_at: Array, azimuth: float, elevation: float, far: float = 1.0) -> Array:
    """Another place for a camera, from an azimuth and elevation, degrees, `far` times as far away."""
    a, e = np.radians([azimuth, elevation])
    direction = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return np.asarray(look_at + far * np.linalg.norm(position - look_at) * direction)


def followed(frames: Frames) -> Array:
    """The point that a view which follows the robot looks at (frames, 3), m: its middle, averaged over a period of the
    gait.

    A robot at rest is not followed: its postures are compared in one place.
    """
    middle = frames.position.mean(axis=1)
    if frames.axis != "time" or frames.count < 2:
        return np.broadcast_to(middle.mean(axis=0), middle.shape)
    lasts = float(frames.times[-1] - frames.times[0])
    share = (frames.result.period or _SMOOTH * lasts) / lasts if lasts > 0.0 else _SMOOTH
    width = max(1, min(int(share * frames.count), frames.count)) | 1
    padded = np.pad(middle, ((width // 2, width // 2), (0, 0)), mode="edge")
    total = np.cumsum(np.concatenate([np.zeros((1, 3)), padded]), axis=0)
    return np.asarray((total[width:] - total[:-width]) / width)


def camera_for(frames: Frames, follow: bool, aspect: float = 16.0 / 9.0) -> tuple[Array, Array]:
    """Where the camera stands and looks at first, m: from the side, ahead and above (steps from where one comes), so
    far that all of the body, or of its way, lies in the middle of a picture of this width over its height.
    """
    chosen = np.unique(np.linspace(0, frames.count - 1, _SAMPLES).astype(int))
    way = followed(frames)
    ends = 0.5 * frames.length[chosen][..., None] * frames.rotation[chosen][..., 0]
    centres = frames.position[chosen] - ((way[chosen] - way[0])[:, None] if follow else 0.0)
    places = np.concatenate([centres + ends, centres - ends]).reshape(-1, 3)
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    stand = _stand(frames)
    right = np.cross(-stand, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up, half, relative = np.cross(right, -stand), np.tan(0.5 * FIELD), places - middle
    wide = np.abs(relative @ right) / (_FILLED[0] * half * aspect) + relative @ stand
    tall = np.abs(relative @ up) / (_FILLED[1] * half) + relative @ stand
    thick = float(frames.radius.max()) / (_FILLED[1] * half)
    away = max(float(np.max([wide, tall])) + thick, 0.9 * frames.size)
    return middle + away * stand, middle


def _stand(frames: Frames) -> Array:
    """The direction from what is seen to the camera."""
    along = _long_side(frames)
    travel = frames.position[-1].mean(axis=0) - frames.position[0].mean(axis=0)
    towards = (
        travel if abs(float(travel @ along)) > 0.3 * frames.size else frames.head[0] - frames.position[0].mean(axis=0)
    )
    ahead = along if float(along @ towards) >= 0.0 else -along
    side = -behind(frames)
    if any(item.has_steps for item in frames.result.environment):  # their risers look at who comes
        stand = -0.75 * ahead + 0.55 * side + np.array([0.0, 0.0, 0.30])
    else:
        wet = any(item.has_surface for item in frames.result.environment)
        stand = 0.41 * ahead + 0.85 * side + np.array([0.0, 0.0, 0.30 if wet else 0.38])
    return np.asarray(stand / np.linalg.norm(stand))


def behind(frames: Frames) -> Array:
    """The level direction away from the camera, across the body and its way: where lanes for other runs lie."""
    along = _long_side(frames)
    return np.array([-along[1], along[0], 0.0])


def _long_side(frames: Frames) -> Array:
    """The level direction in which body and way together reach farthest, turned towards x: the view is across it.

    A body that reaches equally far everywhere, or stands upright, is seen along y.
    """
    places = frames.position[:: max(1, frames.count // 200), :, :2].reshape(-1, 2)
    sizes, directions = np.linalg.eigh(np.cov((places - places.mean(axis=0)).T))
    if not np.isfinite(sizes).all() or sizes[1] < 4.0 * sizes[0] or sizes[1] < 1e-3 * frames.size**2:
        return np.array([1.0, 0.0, 0.0])
    along = directions[:, 1]
    turned = -along if along[0] < -1e-3 or (abs(along[0]) <= 1e-3 and along[1] < 0.0) else along
    return np.array([*turned, 0.0])
