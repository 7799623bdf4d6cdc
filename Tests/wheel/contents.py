"""Checks a wheel, its argument: its files, the libraries that it needs, the symbols that it exports, its licences, and the
absence of paths of the build machine. The wheel nalu-video-lgpl must contain no code under the GPL. Imports nalu in an
environment that has only Python.
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
from dataclasses import dataclass
from pathlib import Path

root = Path(__file__).absolute().parent.parent.parent
# The libraries that manylinux expects on every Linux with glibc.
of_the_system = re.compile(r"(ld-linux-.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so\.\d+")
# The systems that the wheel supports: those with this glibc or a newer one.
oldest_glibc = (2, 28)
# A path of the build machine. The paths in Swift's runtime, from the machines that built it, are excepted.
machine_path = re.compile(rb"(?<![\w.$}])/(?:home|root|Users|opt|work|tmp)/(?!build-user/swift)[\w.]+[^\s\0]*")

# Text that only x264 and x265, and Nalu's code for them, have. The stripped library has no symbols of its static parts.
of_gpl_encoders = re.compile(rb"libx26[45]|x26[45]_param|X26[45]Encoder|aq-strength|2nd pass has fewer frames")
# Options of FFmpeg's configure that add parts under another licence than the LGPL, version 2.1.
of_other_licences = re.compile(r"--enable-(gpl|nonfree|version3)")


@dataclass(frozen=True)
class Kind:
    """The required contents of one of the two wheels."""

    name: str
    licence: str
    #: The texts of the licence in the repository.
    texts: tuple
    #: The projects whose code the library contains. The wheel must contain their licences.
    inside: tuple
    #: The largest size in bytes.
    largest: float

    @property
    def has_x264(self):
        return "libx264" in self.inside


KINDS = (
    Kind("nalu-video", "GPL-2.0-or-later", ("LICENSE", "LICENSE.GPL-2.0"),
         ("ffmpeg", "libx264", "libyuv", "libz", "swift-runtime"), 12e6),
    Kind("nalu-video-lgpl", "LGPL-2.1-or-later", ("LICENSE",), ("ffmpeg", "libyuv", "libz", "swift-runtime"), 8e6),
)

findings = []


def check(condition, sentence):
    if not condition:
        findings.append(sentence)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def expected_version():
    text = (root / "include/nalu/base.h").read_text()
    return ".".join(re.search(rf"#define NALU_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def kind_of(wheel):
    name = wheel.name.split("-")[0].replace("_", "-")
    found = [kind for kind in KINDS if kind.name == name]
    return found[0] if found else sys.exit(f"check_wheel: {wheel.name} is none of {', '.join(kind.name for kind in KINDS)}")


def check_metadata(directory, wheel, kind):
    info = next(directory.glob("*.dist-info"))
    metadata = email.message_from_string((info / "METADATA").read_text())
    tags = email.message_from_string((info / "WHEEL").read_text())
    check(metadata["Name"] == kind.name, f"the name is {metadata['Name']}, not {kind.name}")
    check(metadata["Version"] == expected_version(), f"the version is {metadata['Version']}, not {expected_version()}")
    said = metadata["License-Expression"]
    check(said == kind.licence, f"the metadata says {said}, not {kind.licence}")
    check(kind.name in metadata.get_payload(), f"the description does not name {kind.name}")
    check(tags["Root-Is-Purelib"] == "false", "it says that it is for every platform")
    tag = re.fullmatch(r"py3-none-manylinux_2_(\d+)_\w+", tags["Tag"])
    check(tag, f"the tag is {tags['Tag']}, not py3-none-manylinux")
    check(wheel.name.endswith(tags["Tag"] + ".whl"), "the file name has another tag than the wheel")

    texts = {path.relative_to(info / "licenses").as_posix() for path in (info / "licenses").rglob("*") if path.is_file()}
    check(texts == set(metadata.get_all("License-File", [])), f"the metadata does not list the licences {texts}")
    wanted = {*kind.texts, "licenses/README.txt", *(f"licenses/{name}.txt" for name in kind.inside)}
    for name in sorted(texts ^ wanted):
        findings.append(f"the licence text {name} is {'there without its code' if name in texts else 'missing'}")
    for name in kind.texts:
        check((info / "licenses" / name).read_text() == (root / name).read_text(), f"{name} is not the repository's")
    readme = (info / "licenses/licenses/README.txt").read_text()
    for name in kind.inside:
        said = f"{name}: source package" if name.startswith("lib") else f"{name}.txt"
        check(said in readme, f"licenses/README.txt does not say where the source is: {said}")
    check(kind.has_x264 or "x264" not in readme, "licenses/README.txt names x264, which is not inside")
    ffmpeg = (info / "licenses/licenses/ffmpeg.txt").read_text()
    check("apt-get source ffmpeg=" in ffmpeg, "ffmpeg.txt does not say where the source is")
    check("GNU LESSER GENERAL PUBLIC LICENSE" in ffmpeg, "ffmpeg.txt has not the text of the licence")
    option = of_other_licences.search(ffmpeg)
    check(not option, f"FFmpeg was configured with {option and option[0]}")
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


def check_encoders(path, kind):
    """Checks that the library contains the code of x264 and for x264 and x265, or none of it."""
    found = {text.decode() for text in of_gpl_encoders.findall(path.read_bytes())}
    if kind.has_x264:
        # Otherwise the other wheel would pass whatever it contains.
        check(len(found) > 2, f"{path.name} has little of x264: {sorted(found)}")
    else:
        check(not found, f"{path.name} has code of x264 or x265, or for them: {sorted(found)}")


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


def check_libraries(directory, glibc, kind):
    libraries = sorted((directory / "nalu/_lib").iterdir())
    for path in libraries:
        check_library(path, glibc)
        check_encoders(path, kind)
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
    kind = kind_of(wheel)
    with tempfile.TemporaryDirectory(prefix="nalu-wheel-") as temporary:
        unpacked = Path(temporary) / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        glibc = check_metadata(unpacked, wheel, kind)
        check_record(unpacked)
        check_files(unpacked)
        carried = check_libraries(unpacked, glibc, kind)
        check_paths(unpacked)
        elapsed, of_processor = check_import(wheel, carried, Path(temporary))
        bytes = wheel.stat().st_size
        check(bytes <= kind.largest, f"the wheel has {bytes} bytes; expected {kind.largest:.0f} at most")
        size = sum(path.stat().st_size for path in unpacked.rglob("*") if path.is_file())
    for sentence in findings:
        print(f"check_wheel: {sentence}")
    print(
        f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, unpacked {size / 1e6:.1f} MB; "
        f"import {elapsed:.0f} ms, {of_processor:.0f} ms of them on the processor; {len(findings)} findings"
    )
    return 1 if findings else 0


sys.exit(main())
