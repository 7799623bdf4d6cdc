"""The command: ``python -m nalu.parallel in.mp4 out.mp4 --bit-rate 2M --workers 8``."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import nalu.parallel
from nalu.properties import PropertyValue


#: The library's names of containers that have a shorter name on the command line.
_CONTAINERS = {"mkv": "matroska", "ts": "mpegts"}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns its exit status: 0, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if (asked.output is None) == (asked.output_option is None):
        parser.error("expected one output: python -m nalu.parallel IN -o OUT")
    asked.output = asked.output_option if asked.output is None else asked.output
    try:
        settings = [_setting(each) for each in asked.property]
    except ValueError as error:
        parser.error(str(error))
    try:
        source = nalu.parallel.File(asked.input, format=asked.input_format, ignore_edit_list=asked.ignore_edit_list)
        with _executor(asked.dask) as executor:
            summary = nalu.parallel.encode(
                source,
                asked.output,
                bit_rate=asked.bit_rate,
                executor=executor,
                workers=asked.workers,
                chunks=asked.chunks,
                chunk_duration=asked.chunk_duration,
                cut=asked.cut.replace("-", "_"),
                preset=asked.preset,
                properties=dict(settings),
                size=asked.size,
                audio=not asked.no_audio,
                container=_CONTAINERS.get(asked.container, asked.container),
                fast_start=asked.fast_start,
                fragmented=asked.fragmented,
                overwrite=asked.force,
                work=asked.work,
                resume=asked.resume,
                retries=asked.retries,
                progress=None if asked.quiet else _Line().show,
            )
    except nalu.OutputExistsError as error:
        _say(f"nalu.parallel: {error.filename} exists; --force replaces it")
        return 1
    except (nalu.Error, nalu.LibraryNotFoundError, OSError) as error:
        _say(f"nalu.parallel: {error}")
        return 1
    except KeyboardInterrupt:
        # The directory exists if a chunk was finished.
        is_begun = os.path.isdir(asked.work or f"{asked.output}.chunks")
        rest = "--resume continues with the finished chunks" if is_begun else "no chunk was finished"
        _say(f"nalu.parallel: interrupted; {rest}")
        return 130
    except Exception as error:
        # Clients of clusters and file systems raise their own exceptions.
        _say(f"nalu.parallel: {type(error).__name__}: {error}")
        return 1
    if not asked.quiet:
        _say(str(summary))
    return 0


def _say(text: str) -> None:
    """Writes a line to standard error, in place of the progress line."""
    print(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m nalu.parallel",
        description="Decode a video file and encode it again as H.264, in chunks, by many processes or machines.",
        epilog="The video has the same bytes whichever worker encodes which chunk. See docs/parallel.md.",
    )
    parser.add_argument("input", metavar="IN", help="a path, or an address that fsspec opens; every worker must be able to open it")
    parser.add_argument("output", metavar="OUT", nargs="?", help="a path; its extension selects the container")
    parser.add_argument("-o", "--output", dest="output_option", metavar="OUT", help="the output, instead of the second argument")
    parser.add_argument("--bit-rate", type=_rate, required=True, metavar="RATE", help="the average in bits per second, such as 2M or 800k")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, metavar="N", help="processes on this machine; by default one for each processor")
    where.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, such as tcp://10.0.0.1:8786")
    parser.add_argument("--preset", metavar="NAME", help="HighQuality, Balanced, HighSpeed or a preset of x264")
    says = "a property of the sessions; may be given several times"
    parser.add_argument("-p", "--property", action="append", default=[], metavar="KEY=VALUE", help=says)
    parser.add_argument("--size", type=_size, metavar="WxH", help="scale the frames to this width and height; by default they are not scaled")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--chunks", type=int, metavar="N", help="the number of chunks; by default chunks are 10 to 60 seconds long")
    length.add_argument("--chunk-duration", type=float, metavar="SECONDS", help="the duration of a chunk")
    says = "where to cut: at key frames of the input (the default), at scene changes, or at equal distances"
    parser.add_argument("--cut", choices=["key-frames", "scenes", "equal"], default="key-frames", help=says)
    parser.add_argument("--work", metavar="DIRECTORY", help="the directory of finished chunks; by default OUT.chunks")
    parser.add_argument("--resume", action="store_true", help="continue with the finished chunks of a run that failed or was interrupted")
    parser.add_argument("--retries", type=int, default=3, metavar="N", help="the number of times that a failed chunk is run again; by default 3")
    parser.add_argument("--no-audio", action="store_true", help="leave the audio out; by default it is copied")
    parser.add_argument("--input-format", metavar="NAME", help="the format of an input whose content does not show it, such as mp4 or mpegts")
    parser.add_argument("--ignore-edit-list", action="store_true", help="also encode the frames that the edit list of an MP4 or MOV hides")
    parser.add_argument("--container", metavar="NAME", help="mp4, mov, mkv, ts, flv or h264, whatever the extension of the output")
    parser.add_argument("--fast-start", action="store_true", help="MP4 and MOV: put the index at the beginning")
    parser.add_argument("--fragmented", action="store_true", help="MP4 and MOV: write fragments")
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing output when the video is complete")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no summary")
    return parser


@contextlib.contextmanager
def _executor(address: Optional[str]) -> Iterator[Any]:
    if address is None:
        yield None
        return
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise nalu.Error("--dask needs the package distributed; install it: pip install dask distributed") from None
    try:
        _knock(address)
        client = distributed.Client(address, timeout=30)
    except (OSError, ValueError, OverflowError) as error:
        raise nalu.Error(f"the scheduler {address} does not answer: {error}") from error
    with contextlib.closing(client):
        yield client.get_executor()


def _knock(address: str) -> None:
    """Raises at once if no scheduler listens at the address: a client would retry for a while."""
    found = re.fullmatch(r"(?:(?:tcp|tls)://)?\[?([^/\]]+?)\]?:(\d+)", address)
    if found is not None:
        socket.create_connection((found[1], int(found[2])), timeout=30).close()


def _rate(text: str) -> int:
    factor = {"k": 1e3, "m": 1e6, "g": 1e9}.get(text[-1:].lower())
    try:
        rate = round(float(text[:-1] if factor else text) * (factor or 1))
    except (ValueError, OverflowError):
        rate = 0
    if rate < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no rate; expected 1 or more bits per second, such as 2M, 800k or 800000")
    return rate


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)x(\d+)", text.lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; expected width and height in pixels, such as 1280x720")
    return int(found[1]), int(found[2])


def _setting(text: str) -> tuple[str, PropertyValue]:
    """Returns a property's name and value from KEY=VALUE. The value is JSON; strings need no quotes, and lists no brackets."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise ValueError(f"-p {text}: expected KEY=VALUE")
    info = nalu.catalogue().get(key)
    kind = None if info is None else info.type
    if kind == "str" and not value.startswith('"') and value != "null":
        return key, value
    if kind == "list of float" and not value.startswith("["):
        value = f"[{value}]"
    try:
        found: PropertyValue = json.loads(value)
    except ValueError:
        return key, value
    return key, found


class _Line:
    """Prints the progress: on a terminal a line that is overwritten, elsewhere a line for each tenth of the work."""

    def __init__(self) -> None:
        self._tenth = -1

    def show(self, progress: nalu.parallel.Progress) -> None:
        text = (
            f"{progress.stage}: {progress.chunks} of {progress.chunk_count} chunks, {progress.video_seconds:.0f} of "
            f"{progress.video_duration:.0f} s of video, {progress.seconds:.0f} s"
        )
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            return
        tenth = 10 * progress.chunks // progress.chunk_count
        if tenth != self._tenth or progress.stage == "join":
            self._tenth = tenth
            print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
