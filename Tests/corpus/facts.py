"""Compares the facts of `nalu inspect --json` with those of ffprobe and MediaInfo."""
import judge

SAME_FORM = {"matroska": "matroska,webm", "mp4": "mov,mp4", "mov": "mov,mp4"}


def number(text):
    """Returns the number in a string of ffprobe or MediaInfo, which may be a fraction; None if there is none."""
    try:
        over, _, under = str(text).partition("/")
        value = float(over) / float(under or 1)
        return value if value > 0 else None
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def is_near(value, others, relative, absolute=0.0):
    return any(abs(value - other) <= relative * other + absolute for other in others)


def told(values):
    return " or ".join(sorted({f"{value:.6g}" for value in values}))


def differences(ours, trial):
    """Returns a message for each fact that differs from both ffprobe's and MediaInfo's."""
    stream, container = ours.get("stream") or {}, ours.get("container")
    if not stream:
        return ["finds no H.264 or H.265"]
    whole, video = judge.mediainfo(trial.path, trial.limit)
    return [*identity(ours, stream, container, trial), *counted(stream, trial), *timed(stream, container, trial, whole, video),
            *tracks(container, trial)]


def identity(ours, stream, container, trial):
    codec = {"H.264": "h264", "H.265": "hevc"}.get(stream.get("format"))
    if codec != trial.codec:
        yield f"codec {codec}, ffprobe {trial.codec}"
    size = (stream.get("width"), stream.get("height"))
    theirs = (trial.stream.get("width"), trial.stream.get("height"))
    if size != theirs:
        yield f"size {size[0]}x{size[1]}, ffprobe {theirs[0]}x{theirs[1]}"
    name = container["name"] if container else ("h264" if ours["form"] == "annexb" and codec == "h264" else "hevc")
    if not trial.form.startswith(SAME_FORM.get(name, name)):
        yield f"form {name}, ffprobe {trial.form}"


def counted(stream, trial):
    every = len(trial.all.digests)
    if not trial.is_damaged and not trial.settings.frames and stream.get("frames") not in (every, len(trial.expected.digests)):
        yield f"{stream.get('frames')} frames, FFmpeg {every}"


def timed(stream, container, trial, whole, video):
    if trial.is_damaged:
        return
    raw = container is None or container["name"] in ("h264", "hevc")
    rates = [number(trial.stream.get("avg_frame_rate")), number(trial.stream.get("r_frame_rate")), number(video.get("FrameRate")),
             number(video.get("FrameRate_Original"))]
    times = sorted(trial.expected.times)
    if len(times) > 1 and times[-1] > times[0]:
        rates.append((len(times) - 1) / (times[-1] - times[0]))
    rates = [rate for rate in rates if rate]
    rate = number(stream.get("frameRate"))
    if rate and rates and not is_near(rate, rates, 0.01) and not (raw and stream.get("frameRateSource") == "assumed"):
        yield f"{rate:.6g} fps, ffprobe or MediaInfo {told(rates)}"
    if raw:
        return
    step = 1 / rate if rate else 0.04
    lengths = [number(trial.facts["format"].get("duration")), number(whole.get("Duration"))]
    lengths = [length for length in lengths if length]
    length = number(container.get("duration"))
    if lengths and length is None:
        yield f"no duration, ffprobe or MediaInfo {told(lengths)} s"
    elif lengths and not is_near(length, lengths, 0.005, 1.5 * step):
        yield f"lasts {length:.6g} s, ffprobe or MediaInfo {told(lengths)} s"
    # The stream includes the frames that an edit list hides.
    shown = [number(trial.stream.get("duration")), number(video.get("Duration")), number(video.get("Source_Duration"))]
    for frames in (trial.expected, trial.all):
        if frames.times and not trial.settings.frames:
            shown.append(max(frames.times) - min(frames.times) + step)
    shown = [length for length in shown if length]
    length = number(stream.get("duration"))
    if length and shown and not is_near(length, shown, 0.01, 1.5 * step):
        yield f"video lasts {length:.6g} s, ffprobe or MediaInfo {told(shown)} s"


def tracks(container, trial):
    if container is None:
        return
    ours = {track["index"]: track for track in container["tracks"]}
    for stream in trial.facts["streams"]:
        kind, name = stream.get("codec_type"), stream.get("codec_name")
        if kind not in ("video", "audio", "subtitle") or not name or name == "unknown":
            continue
        track = ours.get(stream["index"])
        if track is None:
            yield f"no track {stream['index']}, ffprobe {kind} {name}"
        elif track["codec"] != name:
            yield f"track {stream['index']} is {track['codec']}, ffprobe {name}"
        elif kind == "audio":
            rate, channels = number(stream.get("sample_rate")), stream.get("channels")
            if rate and track.get("sampleRate") and track["sampleRate"] != rate:
                yield f"track {stream['index']} ({name}): {track['sampleRate']} Hz, ffprobe {rate:.0f}"
            if channels and track.get("channels") and track["channels"] != channels:
                yield f"track {stream['index']} ({name}): {track['channels']} channels, ffprobe {channels}"
