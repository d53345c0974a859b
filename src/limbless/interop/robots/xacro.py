"""xacro -> the text of a URDF, through the xacro package."""

from __future__ import annotations

from pathlib import Path

from limbless.core.errors import InputError
from limbless.interop.robots.xml_text import read


def expanded(path: Path) -> str:
    """A xacro file with its commands carried out. Its includes are found beside it."""
    read(path)  # what keeps it from being read is said in our words
    try:
        import xacro
    except ImportError:
        raise InputError(".xacro needs the extra robots: pip install 'limbless[robots]'") from None
    try:
        return str(xacro.process_file(str(path)).toxml())
    except SystemExit as error:
        raise InputError(f"xacro cannot carry it out (exit {error.code})") from None
    except Exception as error:  # a macro language: whatever its expressions raise
        raise InputError(f"xacro cannot carry it out: {type(error).__name__}: {' '.join(str(error).split())}") from None
