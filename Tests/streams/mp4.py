"""Writes a plain MP4 file around the samples of video streams (ISO/IEC 14496-12 and -15), so that readers report
exactly the times of the samples."""
import dataclasses
import math
import struct


def _box(kind, *parts):
    data = b"".join(parts)
    return struct.pack(">I4s", len(data) + 8, kind) + data


def _full(kind, version, flags, *parts):
    return _box(kind, struct.pack(">I", version << 24 | flags), *parts)


_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


LARGEST_SCALE = 0xFFFFFFFF
"""The largest timescale in the headers' 32 bits."""
LARGEST_MOVIE_SCALE = 0x7FFFFFFF
"""The largest timescale with several tracks, because FFmpeg reads it as a signed number."""


def timescale(times):
    """Returns the smallest timescale in which all times, given as fractions, are integers."""
    scale = math.lcm(*(time.denominator for time in times))
    if scale > LARGEST_SCALE:
        raise ValueError(f"no common timescale: {scale}")
    return scale


@dataclasses.dataclass
class Track:
    """samples: (data, pts, dts, is_key) in decode order, times as fractions of a second, the first pts not negative."""

    samples: list
    avcc: bytes
    width: int
    height: int
    scale: int
    last_duration: object

    @property
    def data(self):
        return b"".join(sample[0] for sample in self.samples)


def _runs(values):
    """Returns (count, value) for each run of equal values."""
    runs = []
    for value in values:
        if runs and runs[-1][1] == value:
            runs[-1][0] += 1
        else:
            runs.append([1, value])
    return runs


def _track(track, number, movie_scale):
    """Returns a function from the file offset of the samples' data to the track's box, and the duration of the track in
    the movie."""
    samples, scale = track.samples, track.scale
    units = [(int(pts * scale), int(dts * scale)) for _, pts, dts, _ in samples]
    first_dts = units[0][1]
    start = min(pts for pts, _ in units)
    deltas = [after[1] - before[1] for before, after in zip(units, units[1:])] + [max(1, int(track.last_duration * scale))]
    total = sum(deltas)
    shown = max(pts for pts, _ in units) + deltas[-1] - start
    offsets = [pts - dts for pts, dts in units]

    # Media time begins with 0 at the first dts. The edits restore the time of the first displayed picture.
    in_movie = movie_scale // scale
    edits = [(shown * in_movie, start - first_dts)]
    if start > 0:
        edits.insert(0, (start * in_movie, -1))
    edit_list = _full(
        b"elst", 1, 0, struct.pack(">I", len(edits)),
        *(struct.pack(">QqI", duration, media_time, 0x10000) for duration, media_time in edits))

    entry = _box(
        b"avc1", struct.pack(">6xH16xHHIIIH", 1, track.width, track.height, 0x480000, 0x480000, 0, 1), bytes(32),
        struct.pack(">Hh", 24, -1), _box(b"avcC", track.avcc))
    keys = [number for number, sample in enumerate(samples, 1) if sample[3]]
    tables = [
        _full(b"stsd", 0, 0, struct.pack(">I", 1), entry),
        _full(b"stts", 0, 0, struct.pack(">I", len(_runs(deltas))),
              *(struct.pack(">II", *run) for run in _runs(deltas))),
        _full(b"stss", 0, 0, struct.pack(">I", len(keys)), *(struct.pack(">I", key) for key in keys)),
        _full(b"stsc", 0, 0, struct.pack(">IIII", 1, 1, len(samples), 1)),
        _full(b"stsz", 0, 0, struct.pack(">II", 0, len(samples)),
              *(struct.pack(">I", len(sample[0])) for sample in samples)),
    ]
    if any(offsets):
        runs = _runs(offsets)
        tables.append(_full(b"ctts", 1, 0, struct.pack(">I", len(runs)), *(struct.pack(">Ii", *run) for run in runs)))
    length = (start + shown) * in_movie

    def box(data_offset):
        chunk = _full(b"co64", 0, 0, struct.pack(">IQ", 1, data_offset))
        data_information = _box(b"dinf", _full(b"dref", 0, 0, struct.pack(">I", 1), _full(b"url ", 0, 1)))
        media = _box(
            b"mdia", _full(b"mdhd", 1, 0, struct.pack(">QQIQHH", 0, 0, scale, total, 0x55C4, 0)),
            _full(b"hdlr", 0, 0, struct.pack(">I4s12xB", 0, b"vide", 0)),
            _box(b"minf", _full(b"vmhd", 0, 1, bytes(8)), data_information, _box(b"stbl", *tables, chunk)))
        return _box(
            b"trak",
            _full(b"tkhd", 1, 3, struct.pack(">QQIIQ8xHHHH", 0, 0, number, 0, length, 0, 0, 0, 0), _MATRIX,
                  struct.pack(">II", track.width << 16, track.height << 16)),
            _box(b"edts", edit_list), media)

    return box, length


def write(path, tracks):
    """Writes the tracks. The least common multiple of their timescales must be at most LARGEST_MOVIE_SCALE, unless
    there is one track."""
    scale = math.lcm(*(track.scale for track in tracks))
    boxes, lengths = zip(*(_track(track, number, scale) for number, track in enumerate(tracks, 1)))
    data = [track.data for track in tracks]

    def movie(data_offset):
        header = _full(
            b"mvhd", 1, 0, struct.pack(">QQIQIH10x", 0, 0, scale, max(lengths), 0x10000, 0x100), _MATRIX, bytes(24),
            struct.pack(">I", len(tracks) + 1))
        offsets = [data_offset + sum(map(len, data[:index])) for index in range(len(tracks))]
        return _box(b"moov", header, *(box(offset) for box, offset in zip(boxes, offsets)))

    file_type = _box(b"ftyp", b"isom", struct.pack(">I", 0x200), b"isomavc1")
    head = len(file_type) + len(movie(0)) + 16
    with open(path, "wb") as output:
        output.write(file_type + movie(head) + struct.pack(">I4sQ", 1, b"mdat", sum(map(len, data)) + 16))
        output.writelines(data)
