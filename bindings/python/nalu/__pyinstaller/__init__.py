"""The PyInstaller hook of the package, found by an entry point. hook-nalu.py lists the files that programs with Nalu need."""

from __future__ import annotations

import os


def get_hook_dirs() -> "list[str]":
    return [os.path.dirname(__file__)]
