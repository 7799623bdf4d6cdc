"""Loading FFmpeg's libraries: by the first use of a container or a decoder, with one clear message if one is missing."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from test_library import LIBRARY, last_line, run

USE = "import nalu; nalu.media.Writer('/dev/null', 'matroska')"
MAPS = "print(open('/proc/self/maps').read())"
FFMPEG = r"lib(avutil|swresample|avcodec|avformat)\.so\.\d+"


@pytest.fixture(scope="module")
def files() -> list[str]:
    """The sonames of the libraries that libnalu loads, in their order."""
    maps = run(f"{USE}; {MAPS}", NALU_LIBRARY=LIBRARY).stdout
    found = {match[0] for match in re.finditer(FFMPEG, maps)}
    if not found:
        pytest.skip("FFmpeg is inside this libnalu")
    return sorted(found, key=lambda name: ("avutil" not in name, name))


def compiled(source: str, target) -> None:
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", str(target)]
    subprocess.run(command, input=source, text=True, check=True)


@pytest.mark.parametrize("module", ["nalu", "nalu.media"])
def test_an_import_loads_no_ffmpeg(module):
    maps = run(f"import {module}; {MAPS}", NALU_LIBRARY=LIBRARY).stdout
    assert "libnalu.so" in maps
    assert "libav" not in maps


def test_encoding_loads_no_ffmpeg():
    code = f"""
import nalu
with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
    session.encode(bytes(64 * 48)) + session.flush()
{MAPS}
"""
    assert "libav" not in run(code, NALU_LIBRARY=LIBRARY).stdout


@pytest.mark.parametrize("index", range(4))
def test_the_error_for_a_missing_ffmpeg_library_names_its_package(files, index, tmp_path):
    name = files[index]
    (tmp_path / name).touch()
    line = last_line(run(USE, NALU_LIBRARY=LIBRARY, LD_LIBRARY_PATH=str(tmp_path)))
    package = name.replace(".so.", "")
    assert re.fullmatch(
        rf"nalu\._library\.LibraryNotFoundError: {name} cannot be loaded \(.*file too short\): install {package}, or add .*", line
    )


def test_an_ffmpeg_library_of_another_version_is_refused(files, tmp_path):
    compiled("unsigned avutil_version(void) { return 5 << 16; }", tmp_path / files[0])
    line = last_line(run(USE, NALU_LIBRARY=LIBRARY, LD_LIBRARY_PATH=str(tmp_path)))
    assert f"{files[0]} cannot be loaded (it has version 5.0, and Nalu was built with " in line


def test_every_function_that_needs_ffmpeg_raises_the_same_error(files, tmp_path):
    (tmp_path / files[2]).touch()
    code = """
import nalu
for use in (
    lambda: nalu.open("clip.mp4"),
    lambda: nalu.media.Writer("clip.mp4"),
    lambda: nalu.media.cut("clip.mp4", "part.mp4"),
    lambda: nalu.write_video("clip.mkv", [bytes(64 * 48)], fps=25, format="gray", size=(64, 48)),
):
    try:
        use()
    except ImportError as error:
        print(error)
"""
    lines = run(code, NALU_LIBRARY=LIBRARY, LD_LIBRARY_PATH=str(tmp_path)).stdout.splitlines()
    assert len(lines) == 4 and len(set(lines)) == 1
    assert files[2] in lines[0]


def test_raw_streams_can_be_written_without_ffmpeg(files, tmp_path):
    (tmp_path / files[0]).touch()
    code = f"""
import nalu
frames = [bytes(64 * 48)] * 3
for name in ("out.mp4", "out.h264"):
    try:
        nalu.write_video({str(tmp_path)!r} + "/" + name, frames, fps=25, format="gray", size=(64, 48))
        print(name)
    except nalu.LibraryNotFoundError:
        print("missing")
"""
    result = run(code, NALU_LIBRARY=LIBRARY, LD_LIBRARY_PATH=str(tmp_path))
    assert result.stdout.split() == ["missing", "out.h264"], result.stderr
    assert sorted(os.listdir(tmp_path)) == sorted(["out.h264", files[0]])


def test_loading_ffmpeg_is_tried_again_after_a_failure(files, tmp_path):
    code = f"""
import os, nalu
try:
    nalu.media.Writer("/dev/null", "matroska")
except ImportError:
    os.unlink({str(tmp_path / files[1])!r})
nalu.media.Writer("/dev/null", "matroska")
print("works")
"""
    (tmp_path / files[1]).touch()
    result = run(code, NALU_LIBRARY=LIBRARY, LD_LIBRARY_PATH=str(tmp_path))
    assert result.stdout.split() == ["works"], result.stderr
