"""Finding and loading libnalumedia at its first use, and the error message if it is missing."""

from __future__ import annotations

import os
import subprocess

from test_library import LIBRARY, last_line, run

from nalu.media import _ffi

MEDIA_LIBRARY = os.path.abspath(_ffi.library().lib._name)
USE = "import nalu; nalu.media.Writer('out.mp4')"


def compiled(source: str, target, *arguments: str) -> str:
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-x", "none", *arguments, "-o", str(target)]
    subprocess.run(command, input=source, text=True, check=True)
    return str(target)


def test_an_import_loads_no_ffmpeg():
    code = "import nalu, nalu.media; print(open('/proc/self/maps').read())"
    maps = run(code, NALU_LIBRARY=LIBRARY).stdout
    assert "libnalu.so" in maps
    assert "libnalumedia" not in maps and "libav" not in maps


def test_a_missing_library_is_one_clear_sentence():
    result = run(USE, NALU_LIBRARY=LIBRARY, NALU_MEDIA_LIBRARY="/nowhere/libnalumedia.so.0")
    line = last_line(result)
    assert line.startswith("nalu._library.LibraryNotFoundError: libnalumedia cannot be loaded: /nowhere/libnalumedia.so.0")
    assert "FFmpeg" in line and "NALU_MEDIA_LIBRARY" in line


def test_a_missing_ffmpeg_is_named(tmp_path):
    ffmpeg = compiled("int av_some(void) { return 1; }", tmp_path / "libavsome.so.1", "-Wl,-soname,libavsome.so.1")
    source = "int av_some(void); int nalu_some(void) { return av_some(); }"
    media = compiled(source, tmp_path / "libnalumedia.so.0", ffmpeg)
    os.unlink(ffmpeg)
    line = last_line(run(USE, NALU_LIBRARY=LIBRARY, NALU_MEDIA_LIBRARY=media))
    assert "libavsome.so.1: cannot open shared object file" in line
    assert "install both" in line


def test_without_the_library_streams_can_be_written(tmp_path):
    code = """
import nalu
frames = [bytes(64 * 48)] * 3
for name in ("out.mp4", "out.h264"):
    try:
        nalu.write_video(name, frames, fps=25, format="gray", size=(64, 48))
        print(name)
    except ImportError as error:
        print("caught", error.name)
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    code = f"import os; os.chdir({str(tmp_path)!r}); exec(open('script.py').read())"
    result = run(code, NALU_LIBRARY=LIBRARY, NALU_MEDIA_LIBRARY="/nowhere/libnalumedia.so.0")
    assert result.stdout.split() == ["caught", "None", "out.h264"], result.stderr
    assert sorted(os.listdir(tmp_path)) == ["out.h264", "script.py"]


def test_an_older_library(tmp_path):
    old = compiled("int nalu_writer_finish(void *writer) { return 0; }", tmp_path / "libnalumedia.so.0")
    line = last_line(run(USE, NALU_LIBRARY=LIBRARY, NALU_MEDIA_LIBRARY=old))
    assert "the libnalumedia that was found has no nalu_writer_create_with_path: it is older than this package" in line


def test_it_is_bound_to_the_libnalu_that_is_loaded():
    """libnalumedia must use the loaded libnalu, not one of the system: two copies cannot exchange samples."""
    code = """
import nalu
nalu.media.Writer("/dev/null", "matroska")
print(len({line.split()[-1] for line in open("/proc/self/maps") if "libnalu.so" in line}))
"""
    assert run(code, NALU_LIBRARY=LIBRARY, NALU_MEDIA_LIBRARY=MEDIA_LIBRARY).stdout.split() == ["1"]
