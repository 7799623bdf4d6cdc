"""The examples of the modules and of the READMEs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM_LIMIT, decoded, picture

import nalu

README = Path(__file__).absolute().parent.parent / "README.md"
ROOT_README = README.parent.parent.parent / "README.md"
MODULES = ["nalu"] + [module.name for module in pkgutil.walk_packages(nalu.__path__, "nalu.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_docstring_examples_of_each_module_work(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_examples_of_the_python_readme_work(tmp_path, monkeypatch, capsys):
    """Runs all examples in one program, with ``frames`` and a file with audio."""
    monkeypatch.chdir(tmp_path)
    video = "testsrc2=size=160x96:rate=25:duration=1[out0];sine=duration=1[out1]"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", video, "-c:v", "libx264", "video.mp4"], check=True, timeout=PROGRAM_LIMIT)
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.S | re.M)
    assert len(blocks) >= 6
    names: dict = {"frames": [picture(1280, 720, shift) for shift in range(10)]}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)  # noqa: S102
    for written in ("clip.h264", "live.h264"):
        assert len(decoded((tmp_path / written).read_bytes(), 1280, 720)) == 10
    for written, width, height in (("clip.mp4", 1280, 720), ("live.mp4", 1280, 720), ("small.mp4", 640, 360)):
        stream = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", written, "-c", "copy", "-f", "h264", "-"], stdout=subprocess.PIPE, check=True
        ).stdout
        assert len(decoded(stream, width, height)) == 10
    assert len(names["brightness"]) == 10
    assert [array.shape for array in names["arrays"]] == [(720, 1280, 3)] * 10
    assert len(names["sizes"]) == len(names["parsed"]) == 10
    assert names["times"] == pytest.approx([number / 25 for number in range(10)])
    printed = capsys.readouterr().out
    assert "Quality" in printed and "0 to 1" in printed
    assert "int (0.0, 2000000000.0) True" in printed
    assert "0.36 (720, 1280, 3)" in printed
    assert "mp4 0.4 h264" in printed
    assert "['aac']" in printed
    for written, frames in (("scored.mp4", 10), ("video.mkv", 25)):
        shown = subprocess.run(
            ["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets", "-of", "csv=p=0", written],
            stdout=subprocess.PIPE, check=True, text=True,
        ).stdout.split()  # fmt: skip
        assert f"h264,{frames}" in shown and any(line.startswith("aac,") for line in shown), shown
    assert "1280 720 avc1.64001f" in printed
    assert "10 True <FormatDescription avc1.64001f 1280x720>" in printed


def test_the_python_example_of_the_repository_readme_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"^```python\n(.*?)^```", ROOT_README.read_text(), re.S | re.M)
    names: dict = {}
    exec(compile(block, str(ROOT_README), "exec"), names)  # noqa: S102
    written = b"".join(sample.annex_b() for sample in names["nalu"].open("clip.mp4"))
    assert len(decoded(written, 640, 360)) == 60
    assert names["image"].shape == (360, 640, 3)
    assert abs(int(names["image"].mean()) - (40 + 2 * 59)) <= 2
