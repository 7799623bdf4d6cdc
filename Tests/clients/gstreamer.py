"""GStreamer's element vtenc_h264, of the plugin applemedia. The plugin's own build wants a Mac with Objective-C, so the
encoder's C files become a plugin by the entry point that is here."""
import shlex
import subprocess
import tempfile
from pathlib import Path

import judge
import sources

FILES = ("vtenc.c", "vtutil.c", "coremediabuffer.c", "corevideobuffer.c", "corevideomemory.c")
LIBRARIES = ("gstreamer-video-1.0", "gstreamer-gl-1.0", "gstreamer-pbutils-1.0")
ENTRY = """
#include <gst/gst.h>
#include "vtenc.h"

/* The parts for textures on a GPU are in Objective-C. Frames without textures do not get there. */
GType gst_video_texture_cache_gl_get_type(void) { return G_TYPE_INVALID; }
GstMemory *gst_io_surface_gl_memory_wrapped(void) { return NULL; }

static gboolean init(GstPlugin *plugin) {
    gst_vtenc_register_elements(plugin);
    return TRUE;
}

#define PACKAGE "nalu"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, applemedia, "vtenc", init, "1.22", "LGPL", "nalu", "nalu")
"""


def flags(*what):
    try:
        found = subprocess.run(["pkg-config", *what, *LIBRARIES], capture_output=True, text=True)
    except FileNotFoundError:
        found = None
    if found is None or found.returncode != 0:
        raise RuntimeError("GStreamer's development files are missing: run scripts/setup clients")
    return shlex.split(found.stdout)


def build(cache, installation):
    """The folder with the plugin, and the program that runs pipelines."""
    source = sources.fetch(cache, "gst-plugins-bad1.0") / "sys" / "applemedia"
    folder = cache / "gst-plugins-bad1.0" / "build"
    folder.mkdir(exist_ok=True)
    print(f"clients: building vtenc of {sources.version(source.parent.parent)}", flush=True)
    (folder / "plugin.c").write_text(ENTRY)
    (folder / "config.h").write_text("")
    compiler = [installation.compiler, "-O1", "-w", "-DHAVE_CONFIG_H", "-DGST_USE_UNSTABLE_API", f"-I{folder}", f"-I{source}",
                *flags("--cflags")]
    frameworks = [word for name in ("VideoToolbox", "CoreMedia", "CoreVideo") for word in ("-framework", name)]
    judge.run(*compiler, "-shared", "-fPIC", "-Wl,-z,defs", *(source / name for name in FILES), folder / "plugin.c",
              *frameworks, *flags("--libs"), "-o", folder / "libgstapplemedia.so")
    judge.run(*compiler, Path(__file__).parent / "pipeline.c", *flags("--libs"), "-o", folder / "pipeline")
    return folder


class Checks:
    def __init__(self, folder, clip, report, work):
        self.folder = folder
        self.clip = clip
        self.report = report
        self.work = work
        self.count = len(judge.Stream(clip).frames)

    def encode(self, options, *changes, reorders=True, expectation=None, what=""):
        # vtenc of 1.22 gives no decode times, and mp4mux then moves the presentation times of B-frames, on a Mac too.
        path = self.work / f"{len(self.report.rows)}.{'h264' if reorders else 'mp4'}"
        muxer = "video/x-h264,stream-format=byte-stream" if reorders else "mp4mux"
        pipeline = (f"filesrc location={self.clip} ! y4mdec ! vtenc_h264 name=encoder {options} ! h264parse ! {muxer} ! "
                    f"filesink location={path}")
        environment = {"GST_PLUGIN_PATH": str(self.folder), "GST_REGISTRY": str(self.work / "registry"),
                       "GST_GL_WINDOW": "surfaceless"}
        problems, findings = [], []
        try:
            judge.run(self.folder / "pipeline", pipeline, *changes, environment=environment)
            stream = judge.Stream(path)
            problems += stream.problems(self.count, times=not reorders)
            decibels = judge.psnr(path, self.clip)
            findings += [f"{len(stream.frames)} frames, {stream.size * 8 * 25 / self.count / 1000:.0f} kb/s", f"{decibels:.1f} dB"]
            if decibels < 30:
                problems.append(f"{decibels:.1f} dB, expected 30 or more")
            if expectation and (said := expectation(stream)):
                (findings if said.startswith("(") else problems).append(said.strip("()"))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            problems.append(str(error))
        self.report.record("GStreamer", " ".join(f"vtenc_h264 {options}{what}".split()), ", ".join(findings), problems)


def b_frames(expected):
    return lambda stream: (f"({stream.types.count('B')} B-frames)" if ("B" in stream.types) == expected
                           else f"frame types {stream.types[:30]}, expected {'some' if expected else 'no'} B-frames")


def key_frames_every(interval):
    def look(stream):
        gaps = [later - earlier for earlier, later in zip(stream.key_frames, stream.key_frames[1:])]
        return (f"key frames at {stream.key_frames}" if not gaps or max(gaps) > interval
                else f"({len(stream.key_frames)} key frames)")
    return look


def rate_rises(at, factor):
    def look(stream):
        sizes = [int(packet["size"]) for packet in stream.packets]
        before, after = sum(sizes[:at]) / at, sum(sizes[at:]) / (len(sizes) - at)
        if after < before * factor:
            return f"{before:.0f} bytes a frame, then {after:.0f}, expected {factor} times as many"
        return f"({before * 0.2:.0f} kb/s, then {after * 0.2:.0f} kb/s)"
    return look


def check(cache, installation, clips, report):
    folder = build(cache, installation)
    with tempfile.TemporaryDirectory() as work:
        checks = Checks(folder, clips["bikes.y4m"], report, Path(work))
        checks.encode("", expectation=b_frames(True))
        checks.encode("bitrate=800 max-keyframe-interval=30", expectation=key_frames_every(30))
        checks.encode("bitrate=800 allow-frame-reordering=false", reorders=False, expectation=b_frames(False))
        checks.encode("bitrate=800 realtime=true", reorders=False, expectation=b_frames(False))
        checks.encode("bitrate=200 realtime=true", "bitrate", "125", "1200", reorders=False,
                      expectation=rate_rises(125, 2.5), what=", 1200 from frame 125 on")
