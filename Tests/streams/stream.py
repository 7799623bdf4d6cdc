"""Runs the encoding program on a case, and compares its log of the samples with the case."""
import contextlib
import dataclasses
import hashlib
import os
import subprocess
import threading
from fractions import Fraction

import limits
import mp4
import pictures
from case import Frame
from tools import TIME_LIMIT, Failure, require

NOT_SYNC, DEPENDS_ON_OTHERS, IS_DEPENDED_ON, EARLIER_TIMES = 1, 2, 4, 8
PIPE_FROM = 64 << 20


@dataclasses.dataclass
class Sample:
    frame: int
    attachments: int
    is_key: bool
    units: int
    average_qp: float
    times: list
    data: bytes

    @property
    def pts(self):
        return Fraction(*self.times[0][:2])

    @property
    def dts(self):
        return Fraction(*self.times[1][:2])


class RawFiles:
    """Raw frames in the work directory, each made once. Large ones are not stored but sent through a pipe."""

    def __init__(self, directory):
        self.directory = directory
        self.lock = threading.Lock()
        self.locks = {}

    def _made(self, what, make):
        """Returns the path of a file that is created at the first request."""
        path = os.path.join(self.directory, hashlib.sha256(repr(what).encode()).hexdigest()[:16] + ".raw")
        with self.lock:
            lock = self.locks.setdefault(path, threading.Lock())
        with lock:
            if not os.path.exists(path):
                with open(path + ".part", "wb") as output:
                    make(output)
                os.rename(path + ".part", path)
        return path

    def path(self, raw):
        def make(output):
            result = subprocess.run(raw.command, stdout=output, stderr=subprocess.PIPE, timeout=TIME_LIMIT, check=False)
            size = os.fstat(output.fileno()).st_size
            if result.returncode or size != raw.size:
                reason = result.stderr.decode(errors="replace")[:300]
                raise Failure(f"the picture cannot be made: {size} bytes, not {raw.size} {reason}")

        return self._made(raw, make)

    def cropped(self, source, width, height):
        """Returns a source's frames cut to another size."""
        def make(output):
            with open(self.path(source.frames()), "rb") as whole:
                while frame := whole.read(source.frame_bytes()):
                    output.write(pictures.crop_planes(frame, source.format, source.width, source.height, width, height))

        return self._made((source, width, height), make)

    @contextlib.contextmanager
    def opened(self):
        """Yields a function from Raw to a path that a child process can read, and the descriptors to pass to the
        child."""
        with contextlib.ExitStack() as stack:
            pipes = []

            def path(raw):
                if raw.size <= PIPE_FROM:
                    return self.path(raw)
                maker = stack.enter_context(
                    subprocess.Popen(raw.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
                stack.callback(maker.kill)
                stack.callback(maker.stdout.close)
                pipes.append(maker.stdout.fileno())
                return f"/dev/fd/{maker.stdout.fileno()}"

            yield path, pipes


def encode(case, driver, work, files, input_kind, pad):
    """Runs the program. Returns the samples, the avcCs, and the values read back from the session."""
    lines = [f"session {case.width} {case.height}", f"input {input_kind}", f"pad {pad}"]
    with files.opened() as (path, pipes):
        for step in case.script:
            if isinstance(step, Frame):
                lines.append(step.line())
            elif isinstance(step, str):
                lines.append(step)
            elif step.cut_to:
                lines.append("source {} {} {} {}".format(step.format, *step.cut_to, files.cropped(step, *step.cut_to)))
            else:
                lines.append(f"source {step.format} {step.width} {step.height} {path(step.frames())}")
        result = subprocess.run(
            [driver, work], input="\n".join(lines).encode() + b"\n", capture_output=True, timeout=TIME_LIMIT,
            pass_fds=pipes, check=False)
    require(result.returncode == 0 and not result.stderr, result.stderr.decode(errors="replace").strip() or
            f"the encoder ends with {result.returncode}")
    return read_log(work)


def read_log(work):
    samples, formats, values = [], [], {"dropped": []}
    with open(f"{work}.samples", "rb") as data, open(f"{work}.log", encoding="ascii") as lines:
        for line in lines:
            word, *rest = line.split()
            if word == "avcc":
                formats.append(bytes.fromhex(rest[0]))
            elif word == "sample":
                times = [tuple(int(text) for text in rest[6 + 4 * index:10 + 4 * index]) for index in range(3)]
                samples.append(
                    Sample(int(rest[0]), int(rest[2]), rest[3] == "1", int(rest[4]), float(rest[5]), times,
                           data.read(int(rest[1]))))
            elif word == "dropped":
                values["dropped"].append(int(rest[0]))
            else:
                values[word] = rest[0]
        require(not data.read(1), "the samples are longer than their sizes say")
    return samples, formats, values


def nal_units(data):
    units, offset = [], 0
    while offset < len(data):
        size = int.from_bytes(data[offset:offset + 4], "big")
        require(0 < size <= len(data) - offset - 4, "a length prefix reaches beyond its sample")
        units.append(data[offset + 4:offset + 4 + size])
        offset += 4 + size
    return units


def check_samples(case, samples, formats, values):
    frames, dropped = case.frames, values["dropped"]
    require(sorted([*(sample.frame for sample in samples), *dropped]) == list(range(len(frames))),
            f"{len(samples)} samples and {len(dropped)} dropped for {len(frames)} frames")
    limits.check(case, samples, dropped)
    require(len(formats) == 1, f"{len(formats)} format descriptions in one stream")
    for sample in samples:
        frame = frames[sample.frame]
        require(sample.times[0] == (*frame.time, 1, 0), f"frame {sample.frame}: pts {sample.times[0]} for {frame.time}")
        duration = (*frame.duration, 1, 0) if frame.duration else (0, 0, 0, 0)
        require(sample.times[2] == duration, f"frame {sample.frame}: duration {sample.times[2]} for {frame.duration}")
        units = nal_units(sample.data)
        require(len(units) == sample.units, f"frame {sample.frame}: {len(units)} NAL units, said to be {sample.units}")
        types = {unit[0] & 31 for unit in units}
        require(types <= {1, 5, 6, 9} | ({12} if case.expected.filler else set()), f"frame {sample.frame}: NAL units of types {sorted(types)} in the data")
        require((5 in types) == sample.is_key and (1 in types) != sample.is_key,
                f"frame {sample.frame}: key frame {sample.is_key}, NAL units of types {sorted(types)}")
        require(sample.is_key != bool(sample.attachments & NOT_SYNC), f"frame {sample.frame}: NotSync is wrong")
        require(0 <= sample.average_qp <= 51, f"frame {sample.frame}: average QP {sample.average_qp}")
        referred = any(unit[0] >> 5 & 3 for unit in units if unit[0] & 31 in (1, 5))
        require(referred == bool(sample.attachments & IS_DEPENDED_ON),
                f"frame {sample.frame}: IsDependedOnByOthers is wrong")
    check_decode_times(samples, None if dropped else int(values["depth"]))
    check_slices(case, samples)
    check_bit_rate(case, samples)


def check_bit_rate(case, samples):
    if case.expected.bit_rate is not None:
        seconds = sum(Fraction(*frame.duration) for frame in case.frames)
        rate = 8 * sum(len(sample.data) for sample in samples) / seconds
        require(rate <= case.expected.bit_rate * 1.1, f"{int(rate)} bits per second, asked for {case.expected.bit_rate}")


def check_decode_times(samples, depth):
    """Checks that the n-th sample has the n-th smallest presentation time, minus the reorder depth. With depth None,
    frames were dropped together with their decode times."""
    times = sorted(sample.pts for sample in samples)
    for index, sample in enumerate(samples):
        require(sample.times[1][2] & 1, f"sample {index}: dts is invalid")
        require(sample.dts <= sample.pts, f"sample {index}: dts {sample.dts} after pts {sample.pts}")
        require(index == 0 or sample.dts > samples[index - 1].dts, f"sample {index}: dts {sample.dts} does not grow")
        if depth is None:
            continue
        if index >= depth:
            require(sample.dts == times[index - depth], f"sample {index}: dts {sample.dts}, not {times[index - depth]}")
        else:
            require(sample.dts < times[0], f"sample {index}: dts {sample.dts} not before the first pts {times[0]}")


def check_slices(case, samples):
    for sample in samples:
        slices = [unit for unit in nal_units(sample.data) if unit[0] & 31 in (1, 5)]
        if case.expected.slices is not None:
            require(len(slices) == case.expected.slices, f"frame {sample.frame}: {len(slices)} slices")
        limit = None
        for start, size in case.expected.slice_bytes:
            if sample.frame >= start:
                limit = size
        longest = max(map(len, slices))
        require(limit is None or longest <= limit, f"frame {sample.frame}: a slice of {longest} bytes, limit {limit}")


def mp4_track(case, samples, avcc):
    """Returns the track of an MP4 file, and the shift that makes presentation begin at 0 or later."""
    shift = max(Fraction(0), -min(sample.pts for sample in samples))
    width, height = case.encoded_size
    last = case.frames[-1].duration
    last = Fraction(*last) if last else Fraction(1, 30)
    scale = mp4.timescale([sample.pts for sample in samples] + [sample.dts for sample in samples] + [shift])
    entries = [(sample.data, sample.pts + shift, sample.dts + shift, sample.is_key) for sample in samples]
    return mp4.Track(entries, avcc, width, height, scale, last), shift
