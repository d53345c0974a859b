"""Studies: a scenario run several times over, for the errors of its numbers or their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_of(source: Any, name: str | None, **options: Any) -> Figure:
    """A picture of a sweep, of a search or of a connection."""
    from limbless.view import connection_figures  # noqa: F401  it registers its pictures
    from limbless.view.sweep_figures import draw

    return draw(source, name, **options)
