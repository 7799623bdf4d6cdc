"""The steps with one file. Each step returns messages about the differences."""
import hashlib
import json
import os
import re
import sys

import judge
import tools

STEPS = ("reader", "parser", "decode", "transcode", "demux", "remux", "inspect")
CONTAINERS = ("mov,mp4", "matroska", "mpegts", "flv")
"""The containers in which every frame has its own time."""
TICK = 0.0021
"""The error in seconds after rounding a time to milliseconds twice."""
RATE = re.compile(rb" F(\d+):(\d+)")


class Finding:
    """The result of a step: "same", "different", or "damaged": fewer frames than FFmpeg's for a file about which FFmpeg
    prints messages."""

    def __init__(self, step, kind, sentence=""):
        self.step, self.kind, self.sentence = step, kind, sentence


class Settings:
    def __init__(self, nalu, libraries, limit, frames, steps):
        self.nalu, self.libraries, self.limit, self.frames, self.steps = nalu, libraries, limit, frames, steps

    def environment(self):
        package = os.path.join(os.path.dirname(__file__), "..", "..", "bindings", "python")
        return {"NALU_LIBRARY": os.path.join(self.libraries, "libnalu.so.0"), "PYTHONPATH": package,
                "PYTHONDONTWRITEBYTECODE": "1"}


def is_among(some, all_):
    """Returns true if `some` is a subsequence of `all_`."""
    rest = iter(all_)
    return all(one in rest for one in some)


def y4m_digests(file, headers=None):
    """Returns the MD5 of each frame of a Y4M stream without its header, which is appended to `headers`."""
    header = file.readline(4096)
    if headers is not None:
        headers.append(header)
    if not header.startswith(b"YUV4MPEG2 "):
        file.read()
        return []
    words = dict((word[:1], word[1:]) for word in header.decode().split()[1:])
    width, height, layout = int(words["W"]), int(words["H"]), words.get("C", "420")
    wide = 2 if re.search(r"p1\d|mono1", layout) else 1
    if layout.startswith("mono"):
        chroma = 0
    elif layout.startswith("444"):
        chroma = 2 * width * height
    elif layout.startswith("422"):
        chroma = 2 * ((width + 1) // 2) * height
    else:
        chroma = 2 * ((width + 1) // 2) * ((height + 1) // 2)
    size = (width * height + chroma) * wide
    digests = []
    while file.readline(4096).startswith(b"FRAME"):
        frame = file.read(size)
        if len(frame) < size:
            break
        digests.append(hashlib.md5(frame).hexdigest())
    return digests


class Trial:
    """The steps for one file. Raises tools.TooSlow if FFmpeg itself exceeds the time limit."""

    def __init__(self, path, directory, settings):
        self.path, self.directory, self.settings, self.limit = path, directory, settings, settings.limit
        self.facts = judge.probe(path, self.limit) or {}
        self.stream = judge.video(self.facts)
        self.form = self.facts.get("format", {}).get("format_name", "")

    def run(self):
        """Returns the findings of every step. A file without anything to decode has one finding, "open"."""
        if self.stream is None:
            return [self.opened()]
        self.index = self.stream["index"]
        self.codec = self.stream["codec_name"]
        self.expected = judge.frames(self.path, self.index, self.limit, self.settings.frames)
        packets = judge.packets(self.path, self.index, self.limit)
        self.hides = any(hidden for _, hidden in packets)
        self.packet_times = [time for time, _ in packets]
        self.all = self.expected
        if self.hides:
            self.all = judge.frames(self.path, self.index, self.limit, self.settings.frames, hidden=True)
        if not self.expected.digests:
            return [self.opened()]
        findings = []
        for step in self.settings.steps:
            try:
                findings += getattr(self, step)()
            except tools.TooSlow as error:
                findings.append(Finding(step, "different", str(error)))
        return findings

    @property
    def is_damaged(self):
        return bool(self.expected.complaints)

    def nalu(self, *arguments, take=None):
        return tools.run([self.settings.nalu, *arguments], self.limit, take)

    def opened(self):
        """FFmpeg decodes none of the file: Nalu may reject it, and must not crash."""
        try:
            for arguments in (("decode", self.path, "-", "--quiet", "--format", "y4m", "--frames", "50"), ("inspect", self.path)):
                result = self.nalu(*arguments, take=drained)
                if result.is_crash:
                    return Finding("open", "different", f"{arguments[0]} crashes with {result.code}: {result.sentence}")
                if result.code != 0 and "nalu: " not in result.errors and "Error: " not in result.errors:
                    return Finding("open", "different", f"{arguments[0]} fails without a message: {result.sentence}")
        except tools.TooSlow as error:
            return Finding("open", "different", str(error))
        return Finding("open", "same")

    def compared(self, step, digests, what, result=None):
        """Compares frames with FFmpeg's displayed frames, or with all of them."""
        code = result.code if result else 0
        if result and result.is_crash:
            return Finding(step, "different", f"{what} crashes with {code}: {result.sentence}")
        said = f" (exit {code}: {result.sentence})" if code else ""
        shown, every = self.expected.digests, self.all.digests
        isSame = digests == shown or (self.hides and step != "decode" and is_among(shown, digests) and is_among(digests, every))
        if isSame and (code == 0 or self.is_damaged):
            return Finding(step, "same")
        if isSame:
            return Finding(step, "different", f"{what}: all {len(shown)} frames are right, and yet{said}")
        # The pictures of incomplete frames depend on the decoder's concealment. Nalu then reports damage.
        if self.is_damaged and (code == 1 or is_among(digests, every)):
            return Finding(step, "damaged", f"{what}: {len(digests)} frames, FFmpeg {len(shown)} with complaints{said}")
        if is_among(digests, every):
            kind = "frames are missing" if len(digests) < len(shown) else "frames are not those that are shown"
        else:
            own = set(every)
            kind = f"{sum(digest not in own for digest in digests)} frames are none of FFmpeg's" \
                if any(digest not in own for digest in digests) else "frames are in another order"
        complaint = f"; FFmpeg complains: {self.expected.complaints[0][:100]}" if self.is_damaged else ""
        return Finding(step, "different", f"{what}: {len(digests)} frames, FFmpeg {len(shown)}: {kind}{said}{complaint}")

    # ---- The steps ---------------------------------------------------------------------------------------------

    def decode(self):
        some = ("--frames", self.settings.frames) if self.settings.frames else ()
        found, headers = [], []
        result = self.nalu("decode", self.path, "-", "--quiet", "--format", "y4m", *some,
                           take=lambda file: found.extend(y4m_digests(file, headers)))
        if self.ends_at_change(found, result):
            return [Finding("decode", "same")]
        finding = self.compared("decode", found, "decode", result)
        if finding.kind != "same" or self.is_damaged or self.codec != "h264":
            return [finding]
        order = (re.search(rb" I(\w)", headers[0]) or [b"", b"?"])[1].decode()
        orders = judge.field_orders(self.path, self.index, self.limit)
        if orders and order not in orders:
            return [Finding("decode", "different", f"the header of Y4M says I{order}, FFmpeg I{' or I'.join(sorted(orders))}")]
        return [finding]

    def ends_at_change(self, found, result):
        """At a change of the picture size a file ends with the last frame before the change, and a line states this."""
        count = self.expected.of_first_size
        return (count < len(self.expected.digests) and found == self.expected.digests[:count] and result.code == 1
                and " changes from " in result.errors)

    def transcode(self):
        """Checks that the number of frames and their field order are kept. Frames after a change of size are
        rejected."""
        if self.is_damaged:
            return []
        output = os.path.join(self.directory, "transcoded.mp4")
        result = self.nalu("transcode", self.path, output, "--quiet", "--force", "--frames", "12", "--preset", "ultrafast")
        if result.is_crash:
            return [Finding("transcode", "different", f"transcode crashes with {result.code}: {result.sentence}")]
        count = min(12, self.expected.of_first_size)
        if result.code and not (count < min(12, len(self.expected.digests)) and " changes from " in result.errors):
            return [Finding("transcode", "different", f"transcode fails (exit {result.code}: {result.sentence})")]
        stream = judge.video(judge.probe(output, self.limit) or {})
        if stream is None:
            return [Finding("transcode", "different", "transcode: nothing that FFmpeg reads, and exit 0")]
        found = len(judge.frames(output, stream["index"], self.limit).digests)
        if found != count:
            return [Finding("transcode", "different", f"transcode: {found} frames, FFmpeg {count}")]
        if self.codec == "h264":
            orders = judge.field_orders(self.path, self.index, self.limit)
            ours = judge.field_orders(output, stream["index"], self.limit)
            if orders and not ours & orders:
                return [Finding("transcode", "different", f"transcode: fields are {ours}, FFmpeg's of the source {orders}")]
        return [Finding("transcode", "same")]

    def demux(self):
        output = os.path.join(self.directory, "stream." + judge.CODECS[self.codec])
        result = self.nalu("demux", self.path, output, "--quiet", "--force")
        return [self.rewritten("demux", output, result, "raw stream", self.codec)]

    def rewritten(self, step, output, result, what, force=None):
        found = []
        if not result.is_crash and os.path.exists(output):
            facts = judge.probe(output, self.limit, force)
            stream = judge.video(facts or {})
            if stream:
                found = judge.frames(output, stream["index"], self.limit, self.settings.frames, force).digests
        # FFmpeg's own copy cannot be the reference, because its MP4 hides leading pictures.
        finding = self.compared(step, found, what, result)
        if finding.kind == "different" and self.is_damaged and found and not result.is_crash:
            # FFmpeg reads the damaged samples differently from each container.
            return Finding(step, "damaged", finding.sentence)
        return finding

    def remux(self):
        source, outputs = self.path, []
        for number, (extension, name) in enumerate((("mp4", "MP4"), ("mkv", "Matroska"), ("ts", "MPEG-TS"), ("mp4", "MP4 again"))):
            output = os.path.join(self.directory, f"remux{number}.{extension}")
            result = self.nalu("demux", source, output, "--quiet", "--force")
            outputs.append((output, result, name))
            if result.code or result.is_crash or not os.path.exists(output):
                break
            source = output
        finding = self.rewritten("remux", *outputs[-1])
        if finding.kind == "different":
            earlier = (self.rewritten("remux", *output) for output in outputs[:-1])
            return [next((each for each in earlier if each.kind == "different"), finding)]
        return [finding] if finding.kind == "damaged" else self.times_kept(source) + self.audio_kept(source)

    def times_kept(self, output):
        """Checks that the frames of the last MP4 have the source's intervals."""
        if not self.form.startswith(CONTAINERS) or self.is_damaged or None in self.packet_times:
            return [Finding("remux", "same")]
        stream = judge.video(judge.probe(output, self.limit) or {})
        ours = judge.frames(output, stream["index"], self.limit, self.settings.frames).times
        theirs = self.expected.times
        if len(ours) != len(theirs):
            return [Finding("remux", "same")]
        apart = [abs((a - ours[0]) - (b - theirs[0])) for a, b in zip(ours, theirs)]
        if max(apart) > TICK:
            number = next(number for number, distance in enumerate(apart) if distance > TICK)
            return [Finding("remux", "different", f"frame {number} is {ours[number] - ours[0]:.4f} s after the first; FFmpeg finds "
                            f"{theirs[number] - theirs[0]:.4f} s in the source")]
        return [Finding("remux", "same")]

    def audio_kept(self, output):
        """Checks that AAC, MP3 and AC-3 are copied through every container of the chain."""
        before = judge.packet_counts(self.path, self.limit)
        sources = [stream for stream in self.facts["streams"]
                   if stream.get("codec_name") in ("aac", "mp3", "ac3") and before.get(stream["index"], 0) > 0]
        facts = judge.probe(output, self.limit) or {}
        after = judge.packet_counts(output, self.limit)
        copies = [stream for stream in facts.get("streams", []) if stream.get("codec_type") == "audio"]
        if len(copies) < len(sources):
            names = ", ".join(stream["codec_name"] for stream in sources)
            return [Finding("remux", "different", f"{len(copies)} audio tracks are left of {len(sources)} ({names})")]
        for source, copy in zip(sources, copies):
            theirs, ours = before[source["index"]], after.get(copy["index"], 0)
            if source["codec_name"] == copy.get("codec_name") and abs(theirs - ours) > max(2, theirs // 50):
                return [Finding("remux", "different", f"{source['codec_name']}: {ours} audio packets are left of {theirs}")]
        return []

    def worker(self, *arguments):
        """Returns the answer of the libraries, or a finding if there is none."""
        script = os.path.join(os.path.dirname(__file__), "library.py")
        result = tools.run([sys.executable, script, *arguments], self.limit, env=self.settings.environment())
        if result.code == 0:
            return json.loads(result.output), None
        verb = "crashes" if result.is_crash else "fails"
        return None, Finding(arguments[0], "different", f"{arguments[0]} {verb} with {result.code}: {result.sentence}")

    def reader(self):
        if not self.settings.libraries:
            return []
        found, failed = self.worker("reader", self.path)
        if failed:
            return [failed]
        count = len(found["times"])
        refused = f"; refused: {found['refused'][0][:160]}" if found["refused"] else ""
        if found["track"] != self.index:
            return [Finding("reader", "different", f"reads track {found['track']}, ffprobe's video is stream {self.index}")]
        if self.is_damaged or self.settings.frames:
            return [Finding("reader", "same")]
        if found["refused"]:
            return [Finding("reader", "different", f"{count} samples, FFmpeg {len(self.all.digests)} frames{refused}")]
        if not self.form.startswith(CONTAINERS) or None in self.packet_times:
            if count not in (len(self.all.digests), len(self.packet_times)):
                return [Finding("reader", "different", f"{count} samples, FFmpeg {len(self.all.digests)} frames{refused}")]
            return [Finding("reader", "same")]
        # If times decrease, FFmpeg replaces them.
        made_up = set(absent(sorted(self.expected.times), sorted(self.packet_times)))
        theirs = [time for time in sorted(self.expected.times) if time not in made_up]
        lost = absent(theirs, sorted(found["times"]))
        if lost:
            return [Finding("reader", "different", f"{count} samples, FFmpeg {len(theirs)} frames; {len(lost)} of FFmpeg's times are "
                            f"missing, the first {lost[0]:.4f} s{refused}")]
        more = absent(sorted(found["times"]), sorted(theirs + self.packet_times))
        if more:
            return [Finding("reader", "different", f"{count} samples, FFmpeg {len(theirs)} frames; {len(more)} times are none of "
                            f"FFmpeg's, the first {more[0]:.4f} s")]
        return [Finding("reader", "same")]

    def parser(self):
        if not self.settings.libraries:
            return []
        stream = os.path.join(self.directory, "parser." + judge.CODECS[self.codec])
        if not judge.annex_b(self.path, self.index, self.codec, self.limit, stream):
            return []
        found, failed = self.worker("parser", self.codec, stream)
        if failed:
            return [failed]
        if not found["same"]:
            return [Finding("parser", "different", "the stream in pieces gives other samples than the whole")]
        theirs = len(self.all.digests)
        expected = judge.frames(stream, 0, self.limit, None, self.codec)
        if not expected.digests:
            return []
        if expected.complaints or self.is_damaged or found["samples"] in (theirs, len(expected.digests), len(self.packet_times)):
            return [Finding("parser", "same")]
        return [Finding("parser", "different", f"{found['samples']} samples, FFmpeg {len(expected.digests)} frames; "
                        f"{found['refused']} refused")]

    def inspect(self):
        result = self.nalu("inspect", self.path, "--json")
        if result.code or result.is_crash:
            return [Finding("inspect", "different", f"exit {result.code}: {result.sentence}")]
        import facts
        sentences = facts.differences(json.loads(result.output), self)
        return [Finding("inspect", "different", sentence) for sentence in sentences] or [Finding("inspect", "same")]


def drained(file):
    while file.read(1 << 20):
        pass


def absent(wanted, present):
    """Returns the elements of sorted times without a nearby time in `present`."""
    missing, place = [], 0
    for time in wanted:
        while place < len(present) and present[place] < time - TICK:
            place += 1
        if place == len(present) or present[place] > time + TICK:
            missing.append(time)
    return missing
