"""The helpers beside these tests are imported by their plain names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# Pinocchio has no wheels for Windows
collect_ignore_glob = [] if importlib.util.find_spec("pinocchio") else ["test_pinocchio*.py"]
