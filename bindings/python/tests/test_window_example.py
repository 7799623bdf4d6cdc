"""examples/live/network_to_window.py, with SDL's driver that has no screen."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import picture

import nalu

EXAMPLE = Path(__file__).absolute().parents[3] / "examples/live/network_to_window.py"
LIMIT = 120


def test_the_example_shows_every_picture_to_the_end(tmp_path):
    pytest.importorskip("pygame")
    path = tmp_path / "clip.mp4"
    nalu.write_video(path, [picture(64, 48, shift) for shift in range(20)], fps=10)
    result = subprocess.run([sys.executable, str(EXAMPLE), str(path)], capture_output=True, timeout=LIMIT,
                            env={**os.environ, "SDL_VIDEODRIVER": "dummy"})
    found = re.search(rb"(\d+) shown, (\d+) late", result.stdout)
    assert result.returncode == 0 and found, result.stderr
    # On a busy machine pictures may be late.
    assert int(found[1]) + int(found[2]) == 20
