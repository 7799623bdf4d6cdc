"""Finding and loading libnalu; the time and memory of an import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import nalu
from nalu import _ffi

PACKAGE = Path(nalu.__file__).parent
LIBRARY = _ffi.lib._name


def run(code: str, directory: Path = PACKAGE.parent, **environment: str) -> subprocess.CompletedProcess:
    variables = {name: value for name, value in os.environ.items() if name != "NALU_LIBRARY"}
    return subprocess.run(
        [sys.executable, "-c", code],
        # Python searches the current directory first.
        cwd=directory,
        env=variables | {"PYTHONPATH": str(directory)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def last_line(result: subprocess.CompletedProcess) -> str:
    return result.stderr.strip().splitlines()[-1]


def test_a_missing_library_raises_one_clear_error_message():
    result = run("import nalu", NALU_LIBRARY="/nowhere/libnalu.so.0")
    assert result.returncode == 1
    line = last_line(result)
    assert line.startswith("nalu._library.LibraryNotFoundError: libnalu cannot be loaded: /nowhere/libnalu.so.0")
    assert "NALU_LIBRARY" in line


def test_a_failed_import_can_be_caught_as_import_error():
    code = "try:\n    import nalu\nexcept ImportError as error:\n    print('caught', error)"
    assert run(code, NALU_LIBRARY="/nowhere/libnalu.so.0").stdout.startswith("caught libnalu cannot be loaded")


def test_a_file_that_is_not_a_library_is_refused(tmp_path):
    wrong = tmp_path / "libnalu.so.0"
    wrong.write_text("text")
    assert "cannot be loaded" in last_line(run("import nalu", NALU_LIBRARY=str(wrong)))


def test_a_library_other_than_libnalu_is_refused():
    import ctypes.util

    other = ctypes.util.find_library("z") or ctypes.util.find_library("c")
    assert "is not libnalu: it has no nalu_version" in last_line(run("import nalu", NALU_LIBRARY=other))


def test_an_older_libnalu_is_refused(tmp_path):
    source = tmp_path / "old.c"
    source.write_text("unsigned nalu_version(void) { return 2000; }\n")
    old = tmp_path / "libold.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", str(source), "-o", str(old)], check=True)
    line = last_line(run("import nalu", NALU_LIBRARY=str(old)))
    assert "has no nalu_version_string, because it is older than this package; update libnalu" in line


def test_the_bundled_library_is_found(tmp_path):
    copy = tmp_path / "nalu"
    copy.mkdir()
    for source in PACKAGE.rglob("*.py"):
        target = copy / source.relative_to(PACKAGE)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(source.read_bytes())
    (copy / "_lib").mkdir()
    os.symlink(os.path.abspath(LIBRARY), copy / "_lib" / "libnalu.so.0")
    result = run("import nalu; print(nalu._ffi.lib._name)", directory=tmp_path)
    assert result.stdout.strip() == str(copy / "_lib" / "libnalu.so.0")


def test_an_import_from_inside_a_zip_file_is_refused(tmp_path):
    wheel = tmp_path / "nalu_video.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for source in PACKAGE.rglob("*.py"):
            archive.write(source, "nalu/" + source.relative_to(PACKAGE).as_posix())
    # The file makes sure that the library path has a libnalu.so.0, also on systems without Nalu.
    (tmp_path / "libnalu.so.0").write_text("text")
    line = last_line(run("import nalu", directory=tmp_path, PYTHONPATH=str(wheel), LD_LIBRARY_PATH=str(tmp_path)))
    assert f"{wheel} is an archive, and libraries cannot be loaded from inside an archive: install it with pip" in line


def test_numpy_is_not_needed():
    code = """
import sys
sys.modules["numpy"] = None
import nalu
with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
    samples = session.encode(bytes(64 * 48)) + session.flush()
print(len(samples))
class Image: __array_interface__ = {}
try:
    nalu.CompressionSession(64, 48, frame_rate=25).encode(Image())
except TypeError as error:
    print(error)
"""
    result = run(code, NALU_LIBRARY=LIBRARY)
    assert result.stdout.splitlines() == ["1", "the frame is Image, which needs numpy; install the package numpy"]


def test_the_error_of_a_broken_numpy_differs_from_that_of_a_missing_one(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('cannot load module more than once per process')")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import nalu
class Image: __array_interface__ = {{}}
try:
    nalu.CompressionSession(64, 48, frame_rate=25).encode(Image())
except TypeError as error:
    print(error)
"""
    said = run(code, NALU_LIBRARY=LIBRARY).stdout
    assert said == (
        "the frame is Image, which needs numpy, but numpy cannot be imported: cannot load module more than once per process\n"
    )


def test_an_import_loads_only_the_modules_that_it_needs():
    code = "import sys; before = set(sys.modules); import nalu; print(*sorted(set(sys.modules) - before))"
    loaded = run(code, NALU_LIBRARY=LIBRARY).stdout.split()
    assert "nalu.session" in loaded
    assert "nalu.media" not in loaded
    assert not {"numpy", "asyncio", "fractions", "decimal", "inspect", "subprocess"} & set(loaded)


@pytest.mark.parametrize("module", ["nalu", "nalu.media"])
@pytest.mark.parametrize("setting", ["", "enable=yes,swift-backtrace=/bin/true"])
def test_an_import_changes_no_signal_handler(module, setting):
    code = f"""
def caught():
    with open("/proc/self/status") as status:
        return [line for line in status if line.startswith(("SigBlk", "SigIgn", "SigCgt"))]
before = caught()
import {module}
print(caught() == before)
"""
    result = run(code, NALU_LIBRARY=LIBRARY, SWIFT_BACKTRACE=setting)
    assert result.stdout.strip() == "True", result.stderr


@pytest.mark.parametrize("order", ["faulthandler.enable(); import nalu", "import nalu; faulthandler.enable()"])
def test_faulthandler_reports_a_crash_whichever_is_imported_first(order):
    code = f"import faulthandler; {order}; faulthandler._sigsegv()"
    result = run(code, NALU_LIBRARY=LIBRARY, SWIFT_BACKTRACE="enable=yes,swift-backtrace=/bin/true")
    assert result.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in result.stderr
    assert "Program crashed" not in result.stderr


def test_a_crash_without_faulthandler_is_silent():
    code = "import ctypes, nalu; ctypes.string_at(0)"
    result = run(code, NALU_LIBRARY=LIBRARY, SWIFT_BACKTRACE="enable=yes,swift-backtrace=/bin/true")
    assert result.returncode == -signal.SIGSEGV
    assert result.stderr == ""


def test_a_forked_child_does_not_affect_the_parents_session():
    code = """
import os, nalu
session = nalu.CompressionSession(64, 48, frame_rate=25, format="gray")
session.encode(bytes(64 * 48))
child = os.fork()
if child == 0:
    del session
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(session.flush()))
"""
    result = run(code, NALU_LIBRARY=LIBRARY)
    assert result.stdout.split() == ["7", "1"] or result.stdout.split() == ["7", "0"], result.stderr


def test_a_forked_child_does_not_affect_the_parents_session_with_on_sample():
    code = """
import os, nalu
got = []
session = nalu.CompressionSession(64, 48, frame_rate=25, format="gray", on_sample=got.append)
session.encode(bytes(64 * 48))
child = os.fork()
if child == 0:
    del session
    os._exit(7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
session.finish()
print(status, len(got))
"""
    assert run(code, NALU_LIBRARY=LIBRARY).stdout.split() == ["7", "1"]


def test_a_process_can_exit_with_open_sessions():
    code = """
import nalu
kept = [nalu.CompressionSession(64, 48, frame_rate=25, format="gray", on_sample=on) for on in (None, print)]
for session in kept:
    session.encode(bytes(64 * 48))
"""
    result = run(code, NALU_LIBRARY=LIBRARY)
    assert result.returncode == 0 and not result.stderr


def test_the_package_has_a_version():
    assert nalu.__version__.count(".") == 2


@pytest.mark.parametrize("name", nalu.__all__)
def test_every_public_name_is_documented(name):
    assert getattr(nalu, name).__doc__


def test_dir_lists_exactly_the_public_names():
    names = [name for name in dir(nalu) if not name.startswith("__")]
    assert names == sorted(nalu.__all__)
