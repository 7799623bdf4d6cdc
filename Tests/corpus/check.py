"""Tests every file of some directories and prints the differences; scripts/check_corpus calls it."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tools
import tries

ROOT = Path(__file__).absolute().parent.parent.parent


def options(documentation):
    parser = argparse.ArgumentParser(prog="check_corpus", description=documentation,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--nalu")
    parser.add_argument("--libraries")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--frames", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--steps", default=",".join(tries.STEPS))
    parser.add_argument("--all", action="store_true")
    chosen = parser.parse_args()
    chosen.steps = chosen.steps.split(",")
    for step in chosen.steps:
        if step not in tries.STEPS:
            parser.error(f"--steps has {step}; expected some of {','.join(tries.STEPS)}")
    for place in chosen.places:
        if not place.exists():
            parser.error(f"there is no {place}")
    if chosen.jobs < 1 or chosen.limit <= 0 or (chosen.frames is not None and chosen.frames < 1):
        parser.error("--jobs, --limit and --frames must be positive")
    for program in ("ffmpeg", "ffprobe"):
        if not shutil.which(program):
            parser.error(f"{program} is not installed")
    if not chosen.nalu and shutil.which("swift"):
        subprocess.run([ROOT / "scripts/swiftpm", "build", "--product", "nalu"], check=True, stdout=sys.stderr)
        chosen.nalu = str(ROOT / "build/swift/release/nalu")
    chosen.nalu = chosen.nalu or shutil.which("nalu")
    if not chosen.nalu or not os.access(chosen.nalu, os.X_OK):
        parser.error("the command nalu is not there; install Swift, so that this script builds it, or name it by --nalu")
    directory = Path(chosen.libraries or ROOT / "build/release")
    has_library = (directory / "libnalu.so.0").exists()
    if chosen.libraries and not has_library:
        parser.error(f"{directory} has no libnalu.so.0")
    chosen.libraries = str(directory.absolute()) if has_library else None
    if has_library:
        settings = tries.Settings(chosen.nalu, chosen.libraries, chosen.limit, None, [])
        loaded = tools.run([sys.executable, "-c", "from nalu.media import _ffi; _ffi.library()"], chosen.limit, env=settings.environment())
        if loaded.code:
            parser.error(f"the library in {directory} cannot be used: {loaded.sentence}")
    if not has_library:
        print("corpus: no libnalu.so.0, so reader and parser are not tried", file=sys.stderr)
        chosen.steps = [step for step in chosen.steps if step not in ("reader", "parser")]
    return chosen


def is_text(path):
    """Returns true for source code and documents, which are no media files."""
    with open(path, "rb") as file:
        beginning = file.read(2048)
    return not beginning or (b"\0" not in beginning and all(byte >= 9 for byte in beginning))


def files(places, expression):
    for place in places:
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.is_file() and not path.is_symlink() and re.search(expression, str(path)) and not is_text(path):
                yield place, path


def tried(path, settings, work):
    """Returns the findings on a file and the time in seconds."""
    start = time.monotonic()
    directory = tempfile.mkdtemp(dir=work)
    try:
        findings = tries.Trial(str(path), directory, settings).run()
    except tools.TooSlow as error:
        findings = [tries.Finding("judge", "damaged", f"FFmpeg is too slow: {error}")]
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return findings, time.monotonic() - start


def table(findings):
    """Returns a table with a row for each step: the number of files for each result."""
    rows = [("step", "files", "same", "damaged", "different")]
    for step in ("open", *tries.STEPS):
        kinds = [worst for worst in ({finding.kind for finding in each if finding.step == step} for each in findings) if worst]
        if kinds:
            different = sum("different" in kind for kind in kinds)
            damaged = sum("damaged" in kind and "different" not in kind for kind in kinds)
            rows.append((step, len(kinds), len(kinds) - different - damaged, damaged, different))
    return "\n".join(f"{row[0]:8}" + "".join(f"{str(cell):>10}" for cell in row[1:]) for row in rows)


def main(documentation):
    chosen = options(documentation)
    settings = tries.Settings(chosen.nalu, chosen.libraries, chosen.limit, chosen.frames, chosen.steps)
    listed = list(files(chosen.places, chosen.only))
    work = tempfile.mkdtemp(prefix="nalu-corpus-")
    results = []
    try:
        with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
            # Results are handled in the order of the files, each as soon as it and those before it are ready.
            tasks = [(place, path, pool.submit(tried, path, settings, work)) for place, path in listed]
            for place, path, task in tasks:
                findings, seconds = task.result()
                results.append(findings)
                name = path.name if place.is_file() else path.relative_to(place)
                for finding in findings:
                    if finding.kind != "same":
                        mark = "DIFFERS" if finding.kind == "different" else "damaged"
                        print(f"{mark}  {name}  {finding.step}: {finding.sentence}", flush=True)
                if chosen.all:
                    print(f"done     {name}  {len(findings)} findings in {seconds:.1f} s", flush=True)
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        return 130
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("\n" + table(results))
    with_video = [each for each in results if any(finding.step in tries.STEPS for finding in each)]
    differing = [each for each in results if any(finding.kind == "different" for finding in each)]
    print(f"\n{len(results)} files, {len(with_video)} with H.264 or H.265 that FFmpeg decodes; {len(differing)} differ")
    return 1 if differing else 0
