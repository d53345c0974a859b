"""Where the view stands: what it follows, and where it begins."""

from __future__ import annotations

import numpy as np

from limbless.view.scene.frames import Array, Frames

FAR = 1e3  # how far the camera sees, in body lengths
_HIGH, _LOW = 0.65, 0.34  # how high the view begins, over its distance sideways
_SLIM = 0.25  # width over length up to which a body is seen from its length away
_SMOOTH = 0.05  # share of the run over which the point that the view follows is averaged, for a gait without a
# period


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


def camera_for(frames: Frames, follow: bool, back: float = 1.0) -> tuple[Array, Array]:
    """Where the camera stands and looks at first, m: from the side and above, all of the body (or of its way) in view.

    `back` takes it farther away, for a narrow window.
    """
    low, high = frames.bounds()
    middle = followed(frames)[0] if follow else 0.5 * (low + high)
    # a tall body needs more space, for pictures are wide; and so does a stout one, which comes near the camera
    upright = float(np.ptp(frames.position[0, :, 2])) / frames.size
    stout = max(2.0 * float(frames.radius[0].max()) / frames.size - _SLIM, 0.0)
    reach = (1.0 + 0.25 * upright + stout) * frames.size if follow else float(np.linalg.norm(high - low))
    along = _long_side(frames)
    side = np.array([along[1], -along[0], 0.0])
    stand = 0.35 * along + 0.85 * side + np.array([0.0, 0.0, _LOW if _has_steps(frames) else _HIGH])
    return middle + back * (0.85 if follow else 0.7) * reach * stand, middle


def _has_steps(frames: Frames) -> bool:
    """Whether the world has steps or hills, which are hardly seen from above."""
    return any(item.has_steps for item in frames.result.environment)


def _long_side(frames: Frames) -> Array:
    """The level direction in which body and way together reach farthest, turned towards x: the view is across it.

    A body that reaches equally far everywhere, or stands upright, is seen along y.
    """
    places = frames.position[:: max(1, frames.count // 200), :, :2].reshape(-1, 2)
    spread = np.cov((places - places.mean(axis=0)).T)
    sizes, directions = np.linalg.eigh(spread)
    if not np.isfinite(sizes).all() or sizes[1] < 4.0 * sizes[0] or sizes[1] < 1e-3 * frames.size**2:
        return np.array([1.0, 0.0, 0.0])
    along = directions[:, 1]
    turned = -along if along[0] < -1e-3 or (abs(along[0]) <= 1e-3 and along[1] < 0.0) else along
    return np.array([*turned, 0.0])
