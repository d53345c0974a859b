"""Other engines: what the cross tests make of our robots in them (folder tests/cross) becomes importable by importing
this module first.
"""

from __future__ import annotations

import sys
from pathlib import Path

PEERS = str(Path(__file__).parents[1] / "tests" / "cross")
if PEERS not in sys.path:
    sys.path.append(PEERS)
