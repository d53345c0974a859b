"""A replay inside a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limbless.simulation.result import Result

HEIGHT = 420  # of the frame in the notebook, pixels


class Replay:
    """Shows itself in a notebook as the replay of a result; `save(path)` writes the page."""

    def __init__(self, result: Result) -> None:
        from limbless.view.replay import replay

        self.page = replay(result)

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{HEIGHT}px;border:1px solid #ddd"
        return f'<iframe srcdoc="{escape(self.page, quote=True)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"Replay ({len(self.page) / 1e6:.2g} MB)"


def in_notebook() -> bool:
    """Whether this Python runs behind a notebook."""
    import sys

    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
