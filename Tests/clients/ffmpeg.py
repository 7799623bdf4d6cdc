"""FFmpeg with its encoders h264_videotoolbox and hevc_videotoolbox and its hwaccel videotoolbox."""
import hashlib
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import judge
import sources

OPTIONS = [
    "--disable-everything", "--disable-autodetect", "--disable-doc", "--disable-debug", "--disable-network",
    "--disable-ffplay", "--disable-ffprobe", "--disable-avdevice", "--disable-swresample", "--disable-stripping",
    # This avoids the need for an assembler; only the software decoders are slower.
    "--disable-x86asm", "--enable-videotoolbox",
    "--enable-encoder=h264_videotoolbox,hevc_videotoolbox,rawvideo,wrapped_avframe",
    "--enable-hwaccel=h264_videotoolbox,hevc_videotoolbox", "--enable-decoder=h264,hevc,rawvideo,wrapped_avframe",
    "--enable-demuxer=mov,h264,hevc,yuv4mpegpipe,rawvideo", "--enable-muxer=mp4,h264,framemd5,rawvideo,null",
    "--enable-protocol=file,pipe", "--enable-filter=null,scale,format,hwdownload,hwupload,copy,select,setpts,trim",
    "--enable-parser=h264,hevc", "--enable-bsf=h264_mp4toannexb,hevc_mp4toannexb",
]
MAKE_TIME_LIMIT = 3000
NEEDED = ("VIDEOTOOLBOX", "H264_VIDEOTOOLBOX_ENCODER", "HEVC_VIDEOTOOLBOX_ENCODER",
          "H264_VIDEOTOOLBOX_HWACCEL", "HEVC_VIDEOTOOLBOX_HWACCEL")


def call(command, directory, log, limit):
    with open(log, "ab") as output:
        output.write(f"$ {shlex.join(map(str, command))}\n".encode())
        output.flush()
        result = subprocess.run([str(part) for part in command], cwd=directory, stdout=output, stderr=output,
                                stdin=subprocess.DEVNULL, timeout=limit)
    if result.returncode != 0:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise RuntimeError(f"{command[0]} failed; {log} has all:\n{last}")


def build(cache, installation):
    """Builds the program from unmodified sources. An existing build is reused."""
    source = sources.fetch(cache, "ffmpeg")
    directory = cache / "ffmpeg" / "build"
    directory.mkdir(exist_ok=True)
    log = directory / "check_clients.log"
    log.write_bytes(b"")
    stamp = directory / "configured"
    wanted = hashlib.sha256("\n".join([installation.fingerprint, str(installation.compiler), *OPTIONS]).encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        stamp.unlink(missing_ok=True)
        print(f"clients: configuring FFmpeg {sources.version(source)}", flush=True)
        call([source / "configure", f"--cc={installation.compiler}", *OPTIONS], directory, log, MAKE_TIME_LIMIT)
        found = (directory / "config_components.h").read_text() + (directory / "config.h").read_text()
        if lacks := [name for name in NEEDED if f"#define CONFIG_{name} 1" not in found]:
            raise RuntimeError(f"configure leaves out {', '.join(lacks)}; {directory}/ffbuild/config.log says why")
        stamp.write_text(wanted)
    print(f"clients: building FFmpeg {sources.version(source)}", flush=True)
    call(["make", f"-j{os.cpu_count()}", "ffmpeg"], directory, log, MAKE_TIME_LIMIT)
    return directory / "ffmpeg"


class Checks:
    def __init__(self, program, clip, report, directory):
        self.program = program
        self.clip = clip
        self.report = report
        self.directory = directory
        self.raw = judge.Stream(clip)
        self.count = len(self.raw.frames)
        self.rate = 25

    def encode(self, options, expectations, environment=None, encoder="h264_videotoolbox"):
        """Encodes the clip. `expectations` are functions of the stream that return what is wrong with it, or a text in
        parentheses with a measurement."""
        path = self.directory / f"{len(self.report.rows)}.mp4"
        command = [self.program, "-y", "-v", "warning", "-i", self.clip, "-c:v", encoder, *options, path]
        findings, problems = [], []
        try:
            judge.run(*command, environment=environment)
            stream = judge.Stream(path)
            problems += stream.problems(self.count)
            findings.append(f"{len(stream.frames)} frames, {stream.size * 8 * self.rate / self.count / 1000:.0f} kb/s")
            decibels = judge.psnr(path, self.clip)
            findings.append(f"{decibels:.1f} dB")
            if decibels < 30:
                problems.append(f"{decibels:.1f} dB, expected 30 or more")
            for expectation in expectations:
                said = expectation(stream)
                if said:
                    (findings if said.startswith("(") else problems).append(said.strip("()"))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            problems.append(str(error))
        self.report.record("FFmpeg", f"encode with {encoder}: {' '.join(options) or 'as it is'}" + self.spelled(environment),
                           ", ".join(findings), problems)

    @staticmethod
    def spelled(environment):
        return "".join(f", {name}={value}" for name, value in (environment or {}).items())

    def refuses(self, options, environment):
        result = judge.run(self.program, "-y", "-v", "warning", "-i", self.clip, "-c:v", "h264_videotoolbox", *options,
                           self.directory / "refused.mp4", check=False, environment=environment)
        problems = [] if result.returncode > 0 else [f"ended with {result.returncode}"]
        self.report.record("FFmpeg", f"encode {' '.join(options)}{self.spelled(environment)}", "is refused", problems)

    def bit_rate(self, wanted, tolerance=0.25):
        def look(stream):
            measured = stream.size * 8 * self.rate / self.count
            if abs(measured - wanted) > wanted * tolerance:
                return f"{measured / 1000:.0f} kb/s, expected {wanted / 1000:.0f} within {tolerance:.0%}"
            return ""
        return look

    @staticmethod
    def profile(*names):
        return lambda stream: (f"(profile {stream.stream['profile']})" if stream.stream["profile"] in names
                               else f"profile {stream.stream['profile']}, expected {' or '.join(names)}")

    @staticmethod
    def b_frames(expected):
        def look(stream):
            if ("B" in stream.types) != expected:
                return f"frame types {stream.types[:30]}, expected {'some' if expected else 'no'} B-frames"
            return f"({stream.types.count('B')} B-frames)"
        return look

    @staticmethod
    def key_frames_every(interval):
        def look(stream):
            gaps = [later - earlier for earlier, later in zip(stream.key_frames, [*stream.key_frames[1:], len(stream.frames)])]
            if stream.key_frames[:1] != [0] or max(gaps) > interval:
                return f"key frames at {stream.key_frames}, expected one in every {interval}"
            return f"({len(stream.key_frames)} key frames)"
        return look

    @staticmethod
    def key_frames_at(expected):
        return lambda stream: ("" if set(expected) <= set(stream.key_frames)
                               else f"key frames at {stream.key_frames}, expected them at {expected}")

    @staticmethod
    def says(**expected):
        def look(stream):
            differing = [f"{key} is {stream.stream.get(key)}, expected {value}" for key, value in expected.items()
                         if str(stream.stream.get(key)) != str(value)]
            return "; ".join(differing) or f"({', '.join(map(str, expected.values()))})"
        return look

    def encoder(self):
        rate = ["-b:v", "800k"]
        self.encode([], [])
        self.encode(rate, [self.bit_rate(800_000)])
        self.encode([*rate, "-profile:v", "baseline", "-bf", "0"],
                    [self.profile("Baseline", "Constrained Baseline"), self.b_frames(False)])
        self.encode([*rate, "-profile:v", "main", "-bf", "2"], [self.profile("Main"), self.b_frames(True)])
        self.encode([*rate, "-profile:v", "high", "-bf", "2", "-g", "50"],
                    [self.profile("High"), self.b_frames(True), self.key_frames_every(50), self.bit_rate(800_000)])
        self.encode([*rate, "-bf", "0", "-g", "25"], [self.b_frames(False), self.key_frames_every(25)])
        self.encode([*rate, "-force_key_frames", "1,2.2,5"], [self.key_frames_at([25, 55, 125])])
        self.encode([*rate, "-realtime", "1"], [self.bit_rate(800_000)])
        self.encode([*rate, "-prio_speed", "1"], [self.bit_rate(800_000)])
        self.encode([*rate, "-profile:v", "high", "-level", "4.1", "-coder", "cavlc"], [self.says(level=41)])
        self.encode([*rate, "-maxrate", "1000k", "-bufsize", "1000k"], [self.bit_rate(800_000)])
        self.encode([*rate, "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"],
                    [self.says(color_primaries="bt709", color_transfer="bt709", color_space="bt709")])
        self.encode([*rate, "-pix_fmt", "nv12", "-aspect", "2:1"], [])
        self.encode([*rate, "-frames_before", "1", "-frames_after", "1"], [])
        if b"constant_bit_rate" in judge.run(self.program, "-hide_banner", "-h", "encoder=h264_videotoolbox").stdout:
            self.encode([*rate, "-constant_bit_rate", "1"], [self.bit_rate(800_000, 0.05)])
        # The machine has no hardware encoder. A program that requests one gets the software encoder, unless that is forbidden.
        self.encode([*rate, "-require_sw", "1"], [])
        self.encode([*rate, "-allow_sw", "1"], [], environment={"NALU_VT_STRICT_HARDWARE": "1"})
        self.refuses([*rate, "-allow_sw", "0"], {"NALU_VT_STRICT_HARDWARE": "1"})

    def hevc_encoder(self):
        def encode(options, expectations):
            self.encode([*options, "-tag:v", "hvc1"], expectations, encoder="hevc_videotoolbox")

        encode(["-b:v", "800k"], [self.bit_rate(800_000), self.profile("Main")])
        encode(["-b:v", "800k", "-bf", "0"], [self.bit_rate(800_000), self.b_frames(False)])
        encode(["-b:v", "800k", "-g", "30"], [self.key_frames_every(30)])
        encode(["-b:v", "800k", "-prio_speed", "1"], [])
        encode(["-b:v", "800k", "-realtime", "1"], [self.b_frames(False)])
        encode(["-b:v", "800k", "-profile:v", "main10", "-pix_fmt", "p010le"], [self.profile("Main 10")])

    def decoder(self):
        made = {
            "H.264, B-frames": ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "60"],
            "H.264, baseline": ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "baseline"],
            "H.264, open groups": ["-c:v", "libx264", "-preset", "veryfast", "-g", "40", "-x264-params", "open-gop=1"],
            "H.265": ["-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params", "log-level=none"],
        }
        own = self.directory / "own.mp4"
        judge.run(self.program, "-y", "-v", "error", "-i", self.clip, "-c:v", "h264_videotoolbox", "-b:v", "800k", own)
        files = {"H.264 of h264_videotoolbox": own}
        for number, (name, options) in enumerate(made.items()):
            files[name] = self.directory / f"made{number}.mp4"
            judge.run("ffmpeg", "-y", "-v", "error", "-i", self.clip, "-an", *options, files[name])
        for name, path in files.items():
            self.decode(name, path)

    def decode(self, name, path):
        hardware = ["-hwaccel", "videotoolbox", "-hwaccel_output_format", "videotoolbox_vld"]
        problems = []
        expected = judge.hashes(self.program, path, after=["-vf", "format=nv12"])
        system = judge.hashes("ffmpeg", path, after=["-vf", "format=nv12"])
        if [line[-1] for line in system] != [line[-1] for line in expected]:
            problems.append("its software decoder differs from that of the machine's FFmpeg")
        for what, options, after in (
            ("decode", ["-hwaccel", "videotoolbox"], ["-vf", "format=nv12"]),
            ("decode to buffers, download", hardware, ["-vf", "hwdownload,format=nv12"]),
        ):
            wrong = list(problems)
            try:
                found = judge.hashes(self.program, path, *options, after=after)
                log = judge.run(self.program, "-v", "debug", *options, "-i", path, "-frames:v", "2", "-f", "null", "-")
                if b"videotoolbox_vld chosen" not in log.stderr or b"Failed setup for format" in log.stderr:
                    wrong.append("FFmpeg fell back to its software decoder")
                different = [number for number, pair in enumerate(zip(expected, found)) if pair[0] != pair[1]]
                if len(found) != len(expected) or different:
                    wrong.append(f"{len(found)} frames, expected {len(expected)}; different: {different[:8]}")
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                wrong.append(str(error))
            self.report.record("FFmpeg", f"{what}: {name}", f"{len(expected)} frames identical to its software decoder", wrong)

    def transcode(self):
        source = self.directory / "made0.mp4"
        path = self.directory / "transcoded.mp4"
        problems, findings = [], ""
        try:
            judge.run(self.program, "-y", "-v", "warning", "-hwaccel", "videotoolbox", "-hwaccel_output_format",
                      "videotoolbox_vld", "-i", source, "-c:v", "h264_videotoolbox", "-b:v", "800k", path)
            stream = judge.Stream(path)
            decibels = judge.psnr(path, source)
            problems += stream.problems(self.count)
            findings = f"{len(stream.frames)} frames, {decibels:.1f} dB"
            if decibels < 30:
                problems.append(f"{decibels:.1f} dB, expected 30 or more")
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            problems.append(str(error))
        self.report.record("FFmpeg", "transcode from buffer to buffer", findings, problems)


def check(cache, installation, clips, report):
    program = build(cache, installation)
    with tempfile.TemporaryDirectory() as directory:
        # Six seconds are enough for the checked bit rates and the forced key frames.
        clip = judge.beginning(clips["bikes.y4m"], 150, Path(directory) / "clip.y4m")
        checks = Checks(program, clip, report, Path(directory))
        checks.encoder()
        checks.hevc_encoder()
        checks.decoder()
        checks.transcode()
