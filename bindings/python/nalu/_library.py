"""Finds and loads libnalu.

The order: the file that the environment variable ``NALU_LIBRARY`` names; the library inside the wheel; the library that the
system's loader finds.
"""

from __future__ import annotations

import ctypes
import os
import sys

ENVIRONMENT_VARIABLE = "NALU_LIBRARY"
FILE_NAME = "libnalu.0.dylib" if sys.platform == "darwin" else "libnalu.so.0"

#: The oldest library that this package works with, as nalu_version() counts.
OLDEST_VERSION = 1_000


class LibraryNotFoundError(ImportError):
    """libnalu, or a library of FFmpeg that it needs, cannot be loaded. The message names the library and the remedy."""


def _candidates() -> list[tuple[str, str]]:
    """Returns the paths to try, each with the origin of the path for the error message."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return [(named, f"the environment variable {ENVIRONMENT_VARIABLE} names")]
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib", FILE_NAME)
    candidates = [(FILE_NAME, "the system's loader searches for")]
    if os.path.exists(bundled):
        candidates.insert(0, (bundled, "the package contains"))
    return candidates


def _archive() -> str:
    """Returns the path of the archive from which this module was imported, such as a zip file; "" for a directory."""
    path = os.path.abspath(__file__)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and path != os.path.abspath(__file__) else ""


def load() -> tuple[ctypes.CDLL, ctypes.PyDLL]:
    """Returns the library twice: for calls that release the interpreter's lock, and for short calls that keep it."""
    tried: list[str] = []
    for path, words in _candidates():
        try:
            blocking = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}, which {words}: {error}")
            continue
        return _checked(blocking, path), ctypes.PyDLL(path)
    archive = _archive()
    if archive and not os.environ.get(ENVIRONMENT_VARIABLE):
        tried.append(f"{archive} is an archive, and libraries cannot be loaded from inside an archive: install it with pip, or unpack it")
    raise LibraryNotFoundError(
        "libnalu cannot be loaded: "
        + "; ".join(tried)
        + f". Install the wheel nalu-video or the library, or set {ENVIRONMENT_VARIABLE} to the path of {FILE_NAME}."
    )


def _checked(library: ctypes.CDLL, path: str) -> ctypes.CDLL:
    try:
        version = library.nalu_version
    except AttributeError:
        raise LibraryNotFoundError(
            f"{path} is not libnalu: it has no nalu_version. Set {ENVIRONMENT_VARIABLE} to the path of {FILE_NAME}."
        ) from None
    version.restype = ctypes.c_uint32
    version.argtypes = []
    if version() < OLDEST_VERSION:
        raise LibraryNotFoundError(f"{path} is version {version()}; expected at least {OLDEST_VERSION}. Update libnalu.")
    return library
