"""Clients whose checks are separate programs, Tests/clients/NAME/run. Their arguments are an installed Nalu, unpacked
sources if necessary, and a work directory. They print a line `what ran | what was compared` for each run, with ` |
FAILED: why` if it failed."""
import subprocess
from pathlib import Path

import sources

# HandBrake's run needs sources and headers that this Debian release lacks, so it is started by hand. Debian removes
# OBS's plugin for the Mac from its source package, and has no package of GPAC, so those runs have their own host programs.
PACKAGES = {
    "gpac": (),
    "gstreamer": ("gst-plugins-bad1.0",),
    "mediastreamer": ("mediastreamer2", "ortp", "bctoolbox"),
    "obs": (),
}
TIME_LIMIT = 1800


def available():
    return [name for name in PACKAGES if (Path(__file__).parent / name / "run").exists()]


def check(name, cache, installation, report):
    packages = PACKAGES[name]
    unpacked = [sources.fetch(cache, package) for package in packages]
    work = cache / (packages[0] if packages else name) / "work"
    work.mkdir(parents=True, exist_ok=True)
    print(f"clients: {name}, {sources.version(unpacked[0]) if unpacked else 'a host of its own'}", flush=True)
    result = subprocess.run([str(Path(__file__).parent / name / "run"), str(installation.prefix), *map(str, unpacked), str(work)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=TIME_LIMIT)
    failed = False
    for line in result.stdout.splitlines():
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) >= 2:
            problems = [part.removeprefix("FAILED: ") for part in parts[2:]]
            failed = failed or bool(problems)
            report.record(name, parts[0], parts[1], problems)
    if result.returncode != 0 and not failed:
        raise RuntimeError(f"Tests/clients/{name}/run ended with {result.returncode}: {result.stderr.strip()[-1500:]}")
