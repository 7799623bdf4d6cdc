"""For PyInstaller, which finds this by an entry point of the package: hook-nalu.py says what programs with Nalu need."""

from __future__ import annotations

import os


def get_hook_dirs() -> "list[str]":
    return [os.path.dirname(__file__)]
