"""Measures nalu serve with a headless Chromium on loopback: capture to picture, first picture, slider, ten viewers.

usage: live_serve.py [NALU]     by default the release build by SwiftPM, which is made first
"""
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import time

from histograms import histogram

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / "build/browser-python/bin/python"
SECONDS = 20


def build():
    """Returns the command, in the release build with the Swift runtime inside."""
    options = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "nalu"]
    subprocess.run(options, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    found = subprocess.run([*options, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return f"{found.stdout.strip()}/nalu"


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def delays(browser, server, seconds):
    """Returns the delays from capture to picture in ms, without the first second."""
    browser.open(server.address)
    browser.wait_for("window.pictures && pictures.length > 30")
    browser.evaluate("window.found = []; addEventListener('picture', event => found.push(event.detail.delay))")
    time.sleep(seconds)
    return [delay for delay in browser.evaluate("found") if delay is not None]


def first_pictures(browser, server, rounds):
    """Returns the times in ms from the opening of the socket to the first picture."""
    found = []
    for _ in range(rounds):
        browser.open("about:blank")
        browser.open(server.address)
        found.append(browser.wait_for("window.firstPicture || (typeof firstPicture === 'number' && firstPicture)"))
    return found


def slider(browser, viewer, rate):
    """Moves the slider. Returns the time in seconds after which the rate of half a second is within 20 % of the new one,
    and stays there for a second."""
    begin = time.monotonic()
    browser.evaluate(f"$('slider').value = toSlider({rate}); $('slider').dispatchEvent(new Event('input'))")
    time.sleep(6)
    arrived = list(viewer.sizes)

    def near(end):
        bits = sum(size * 8 for at, size in arrived if end - 0.5 < at <= end)
        return abs(bits / 0.5 - rate) < 0.2 * rate
    for step in range(100):
        start = begin + step * 0.05
        if all(near(start + more * 0.25) for more in range(4)):
            return start - begin
    return float("inf")


def main(nalu):
    sys.path.insert(0, str(ROOT / "Tests/players"))
    from browser import Browser
    from live_page import READER, Server, Viewer
    print(f"## nalu serve test, 1280x720, 30 frames per second, loopback\n\nLoad before: {os.getloadavg()[0]:.1f}.\n")
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server("test", "--size", "1280x720", command=nalu))
        browser = stack.enter_context(Browser())
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=READER)
        rows = []
        one = delays(browser, server, SECONDS)
        rows.append(("capture to picture, one viewer: p50, p95 (targets 40, 100 ms)", one))
        with contextlib.ExitStack() as viewers:
            for _ in range(9):
                viewers.enter_context(contextlib.closing(Viewer(server)))
            ten = delays(browser, server, SECONDS)
        rows.append(("the same, ten viewers of which one is Chromium", ten))
        firsts = first_pictures(browser, server, 10)
        browser.open(server.address)
        browser.wait_for("window.pictures && pictures.length > 30")
        with contextlib.closing(Viewer(server)) as viewer:
            times = [slider(browser, viewer, rate) for rate in (1_000_000, 3_000_000, 500_000)]
    print("| | |\n|---|---|")
    for name, values in rows:
        print(f"| {name} | {percentile(values, 0.5):.1f} ms, {percentile(values, 0.95):.1f} ms ({len(values)} frames) |")
    print(f"| socket opened to first picture, 10 times: median, longest (target 500 ms) | {statistics.median(firsts):.0f} ms, "
          f"{max(firsts):.0f} ms |")
    print(f"| slider to 1 Mb/s, 3 Mb/s, 500 kb/s until the rate is within 20 % (target 2 s) | "
          f"{', '.join(f'{value:.2f} s' for value in times)} |\n")
    for name, values in rows:
        print(f"{name.split(':')[0]}:\n")
        histogram(values, range(4, 104, 4))


if __name__ == "__main__":
    if pathlib.Path(sys.prefix).resolve() != PYTHON.parent.parent.resolve():
        subprocess.run([ROOT / "scripts/setup", "players"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([ROOT / "scripts/browser_python"], check=True, stdout=subprocess.DEVNULL)
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    main(sys.argv[1] if len(sys.argv) > 1 else build())
