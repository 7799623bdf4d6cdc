"""Checks a wheel, its argument: its files, the libraries that it needs, the symbols that it exports, its licences, and the
absence of paths of the build machine. Imports nalu in an environment that has only Python.
"""
import base64
import csv
import email
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

root = Path(__file__).absolute().parent.parent.parent
# The libraries that manylinux expects on every Linux with glibc.
of_the_system = re.compile(r"(ld-linux-.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so\.\d+")
# The projects whose code the libraries contain. The wheel must contain their licences.
inside = ("ffmpeg", "libx264", "libyuv", "libz", "swift-runtime")
# The systems that the wheel supports: those with this glibc or a newer one.
oldest_glibc = (2, 28)
largest = 16e6
# A path of the build machine. The paths in Swift's runtime, from the machines that built it, are excepted.
machine_path = re.compile(rb"(?<![\w.$}])/(?:home|root|Users|opt|work|tmp)/(?!build-user/swift)[\w.]+[^\s\0]*")

findings = []


def check(condition, sentence):
    if not condition:
        findings.append(sentence)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def expected_version():
    text = (root / "include/nalu/base.h").read_text()
    return ".".join(re.search(rf"#define NALU_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def check_metadata(directory, wheel):
    info = next(directory.glob("*.dist-info"))
    metadata = email.message_from_string((info / "METADATA").read_text())
    tags = email.message_from_string((info / "WHEEL").read_text())
    check(metadata["Name"] == "nalu-video", f"the name is {metadata['Name']}, not nalu-video")
    check(metadata["Version"] == expected_version(), f"the version is {metadata['Version']}, not {expected_version()}")
    check(metadata["License-Expression"] == "GPL-2.0-or-later", "the metadata does not say GPL-2.0-or-later")
    check(tags["Root-Is-Purelib"] == "false", "it says that it is for every platform")
    tag = re.fullmatch(r"py3-none-manylinux_2_(\d+)_\w+", tags["Tag"])
    check(tag, f"the tag is {tags['Tag']}, not py3-none-manylinux")
    check(wheel.name.endswith(tags["Tag"] + ".whl"), "the file name has another tag than the wheel")

    texts = {path.relative_to(info / "licenses").as_posix() for path in (info / "licenses").rglob("*") if path.is_file()}
    check(texts == set(metadata.get_all("License-File", [])), f"the metadata does not list the licences {texts}")
    for name in ("LICENSE", "LICENSE.GPL-2.0"):
        check((info / "licenses" / name).read_text() == (root / name).read_text(), f"{name} is not the repository's")
    for name in inside:
        check(f"licenses/{name}.txt" in texts, f"the licence of {name} is not there")
    readme = (info / "licenses/licenses/README.txt").read_text()
    for name in ("libx264: source package x264, version", "libyuv: source package libyuv, version", "ffmpeg.txt"):
        check(name in readme, f"licenses/README.txt does not say where the source is: {name}")
    ffmpeg = (info / "licenses/licenses/ffmpeg.txt").read_text()
    check("apt-get source ffmpeg=" in ffmpeg, "ffmpeg.txt does not say where the source is")
    check("GNU LESSER GENERAL PUBLIC LICENSE" in ffmpeg, "ffmpeg.txt has not the text of the licence")
    glibc = (2, int(tag[1]) if tag else 0)
    check(glibc <= oldest_glibc, f"the wheel is for glibc {glibc[1]} and newer; expected 2.{oldest_glibc[1]}")
    return glibc


def check_record(directory):
    """Checks the list of files with their digests, which installers and auditors read."""
    record = next(directory.glob("*.dist-info/RECORD"))
    listed = {}
    for name, digest, size in csv.reader(record.read_text().splitlines()):
        listed[name] = (digest, size)
    for path in directory.rglob("*"):
        if path.is_file():
            name = path.relative_to(directory).as_posix()
            data = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            right = ("", "") if path == record else (f"sha256={digest}", str(len(data)))
            check(listed.pop(name, None) == right, f"RECORD says another thing of {name}, or nothing")
    check(not listed, f"RECORD lists what is not there: {sorted(listed)}")


def check_files(directory):
    """Checks that the modules are exactly those of the repository."""
    source = root / "bindings/python/nalu"
    wanted = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
    }
    package = directory / "nalu"
    found = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    check("py.typed" in found, "py.typed is not there")
    for name in sorted(found ^ (wanted | {"_lib/libnalu.so.0"})):
        findings.append(f"nalu/{name} is {'left over' if name in found else 'missing'}")
    top = {path.name for path in directory.iterdir() if path.suffix != ".dist-info"}
    check(top == {"nalu"}, f"at the top there is {sorted(top)}")


def check_library(path, glibc):
    dynamic = run("readelf", "-dW", path)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    for name in needed:
        check(of_the_system.fullmatch(name), f"{path.name} needs {name}, which is not carried")
    as_promised = subprocess.run([root / "scripts/check_library", "static", path], capture_output=True, text=True)
    check(as_promised.returncode == 0, as_promised.stdout.strip())
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", path))
    newest = max((int(major), int(minor)) for major, minor in versions)
    check(newest <= glibc, f"{path.name} needs glibc {newest[0]}.{newest[1]}, newer than the tag says")


def check_libraries(directory, glibc):
    libraries = sorted((directory / "nalu/_lib").iterdir())
    for path in libraries:
        check_library(path, glibc)
    return {path.name for path in libraries}


def check_paths(directory):
    # The home directory may be unset, or the root directory.
    places = {str(place).encode() for place in (root, Path.home()) if len(place.parts) > 1}
    for path in sorted(directory.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        # Licences are texts of others, with example paths.
        found = [] if "licenses" in path.parts else machine_path.findall(data)
        found += [place for place in places if place + b"/" in data]
        for text in sorted(set(found)):
            findings.append(f"{path.relative_to(directory)}: a path of one machine: {text.decode(errors='replace')}")


probe = """
import sys, time
start = time.perf_counter(), time.process_time()
import nalu
print((time.perf_counter() - start[0]) * 1000, (time.process_time() - start[1]) * 1000)
print(nalu.__file__)
print("numpy" in sys.modules)
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split(maxsplit=5)[5].strip())
"""


def check_import(wheel, carried, directory):
    """Imports the package in an environment without numpy, from an empty directory, with PATH as the only variable."""
    environment = directory / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / "bin/python"
    # The environment has no pip. Unpacking the wheel has the same result, because pip only unpacks this wheel.
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())
    zipfile.ZipFile(wheel).extractall(site)
    times = []
    for _ in range(7):
        try:
            output = run(python, "-I", "-c", probe, cwd=directory, env={"PATH": os.environ["PATH"]}).split("\n")
        except subprocess.CalledProcessError as error:
            findings.append(f"import nalu fails: {error.stderr.strip().splitlines()[-1]}")
            return 0, 0
        times.append([float(word) for word in output[0].split()])
    check(Path(output[1]).parent == site / "nalu", f"{output[1]} was imported")
    check(output[2] == "False", "import nalu imports numpy")
    loaded = {Path(line) for line in output[3:] if line}
    check({path.name for path in loaded if site in path.parents} >= carried, "not every carried library is loaded")
    for path in loaded:
        if re.match(r"lib(nalu|x264|yuv|jpeg|swift|dispatch|BlocksRuntime)", path.name) and site not in path.parents:
            findings.append(f"{path} of the system was loaded")
        if re.match(r"libav", path.name):
            findings.append(f"{path} is loaded by import nalu")
    # The first run compiles the modules.
    return [statistics.median(column) for column in zip(*times[1:])]


def main():
    wheel = Path(sys.argv[1]).absolute()
    with tempfile.TemporaryDirectory(prefix="nalu-wheel-") as temporary:
        unpacked = Path(temporary) / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        glibc = check_metadata(unpacked, wheel)
        check_record(unpacked)
        check_files(unpacked)
        carried = check_libraries(unpacked, glibc)
        check_paths(unpacked)
        elapsed, of_processor = check_import(wheel, carried, Path(temporary))
        check(wheel.stat().st_size <= largest, f"the wheel has {wheel.stat().st_size} bytes; expected {largest:.0f} at most")
        size = sum(path.stat().st_size for path in unpacked.rglob("*") if path.is_file())
    for sentence in findings:
        print(f"check_wheel: {sentence}")
    print(
        f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, unpacked {size / 1e6:.1f} MB; "
        f"import {elapsed:.0f} ms, {of_processor:.0f} ms of them on the processor; {len(findings)} findings"
    )
    return 1 if findings else 0


sys.exit(main())
