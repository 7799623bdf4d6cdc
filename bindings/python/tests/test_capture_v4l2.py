"""Pictures of a camera that sends JPEGs, decoded by the FFmpeg of the library. A preloaded stand-in is the camera."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM_LIMIT

STAND_IN = Path(__file__).absolute().parents[3] / "Tests" / "c" / "stand_ins" / "v4l2_camera.c"
PROGRAM = """
import nalu, numpy
with nalu.capture.CaptureSession("v4l2:/dev/nalu-camera") as session:
    frame = next(session)
    matrix = session.ycbcr_matrix
luma, chroma = (numpy.asarray(plane).reshape(rows, 320) for plane, rows in zip(frame.planes, (240, 120)))
print(frame.format, frame.width, frame.height, luma[120, 160], *chroma[60, 160:162], matrix)
"""


@pytest.mark.parametrize("pixel_format", ["yuvj420p", "yuvj422p"])
def test_a_camera_that_sends_jpegs(tmp_path, pixel_format):
    library, picture = tmp_path / "camera.so", tmp_path / "red.jpg"
    for command in (
        ["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", STAND_IN, "-o", library],
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=red:size=320x240", "-frames:v", "1"]
        + ["-pix_fmt", pixel_format, "-f", "mjpeg", picture],
    ):
        subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    camera = {"NALU_CAMERA_CODE": "MJPG", "NALU_CAMERA_SIZE": "320x240", "NALU_CAMERA_PICTURE": str(picture)}
    environment = dict(os.environ, LD_PRELOAD=str(library), **camera)
    command = [sys.executable, "-c", PROGRAM]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PROGRAM_LIMIT)
    assert result.returncode == 0, result.stderr
    delivered, width, height, luma, cb, cr, matrix = result.stdout.split()
    assert (delivered, width, height) == ("nv12_full", "320", "240")
    # JPEG has the matrix of BT.601. Red in full range.
    assert matrix == "6"
    assert [int(luma), int(cb), int(cr)] == pytest.approx([76, 85, 255], abs=4)
