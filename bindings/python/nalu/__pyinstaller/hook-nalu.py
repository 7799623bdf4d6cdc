"""Files that PyInstaller cannot find itself: the wheel's libraries, which ctypes loads, and modules imported at their first
use."""

from pathlib import Path

libraries = Path(__file__).parent.parent / "_lib"
binaries = [(str(path), "nalu/_lib") for path in sorted(libraries.glob("lib*"))]
hiddenimports = ["nalu.media", "nalu.parallel"]
