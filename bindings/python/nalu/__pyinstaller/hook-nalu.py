"""The libraries of the wheel, which ctypes loads, and the modules that are imported when they are first used."""

from pathlib import Path

libraries = Path(__file__).parent.parent / "_lib"
binaries = [(str(path), "nalu/_lib") for path in sorted(libraries.glob("lib*"))]
hiddenimports = ["nalu.media", "nalu.parallel"]
