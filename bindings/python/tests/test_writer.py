"""write_video."""

from __future__ import annotations

import errno
import io
import os
import threading
from pathlib import Path

import pytest
from conftest import decoded, picture, psnr

import nalu


def clip(count: int = 10) -> list:
    return [picture(160, 96, shift) for shift in range(count)]


def test_a_written_stream_is_decoded_by_ffmpeg(tmp_path):
    path = tmp_path / "out.h264"
    done = nalu.write_video(path, clip(), fps=25, bit_rate=2_000_000)
    assert done.encoded_frames == 10
    shown = decoded(path.read_bytes(), 160, 96)
    assert len(shown) == 10
    assert min(psnr(got, source) for got, source in zip(shown, clip())) > 32


def test_write_video_accepts_text_paths_and_generators(tmp_path):
    path = str(tmp_path / "out.264")
    nalu.write_video(path, (frame[..., ::-1] for frame in clip(3)), fps=29.97, format="bgr", quality=0.9, preset="fast")
    assert len(decoded(Path(path).read_bytes(), 160, 96)) == 3


def test_an_open_file_stays_open():
    file = io.BytesIO()
    nalu.write_video(file, clip(2), fps=25)
    assert file.getvalue().startswith(bytes([0, 0, 0, 1, 0x67]))


def test_write_video_sets_properties():
    file = io.BytesIO()
    nalu.write_video(file, clip(4), fps=25, properties={"MaxKeyFrameInterval": 1})
    units = [unit[0] & 31 for unit in nalu.bitstream.nal_units(file.getvalue())]
    assert units.count(5) == 4
    assert 1 not in units


def test_the_first_frame_gives_the_size():
    file = io.BytesIO()
    nalu.write_video(file, [bytes(64 * 48 * 3)], fps=25, format="rgb", size=(64, 48))
    sps = next(unit for unit in nalu.bitstream.nal_units(file.getvalue()) if unit[0] & 31 == 7)
    assert nalu.bitstream.parse_sps(sps)[8:10] == (64, 48)


@pytest.mark.parametrize(
    "arguments, settings, kind, part",
    [
        (("out.xyz", clip(1)), {}, ValueError, r'the extension of path "out\.xyz" selects no container; expected one of \.mp4 '),
        (("out", clip(1)), {"container": "avi"}, ValueError, 'container is "avi"; expected mp4, '),
        (("out.h264", clip(1)), {"rotation": 90}, ValueError, "rotation is 90; expected a container"),
        (("out.mp4", clip(1)), {"rotation": 45}, ValueError, "rotation is 45; expected 0, 90, 180 or 270"),
        (("out.ts", clip(1)), {"fast_start": True}, ValueError, "fast_start=True is set, which mpegts does not have"),
        (("nowhere/out.mp4", clip(1)), {}, OSError, "nowhere/out.mp4"),
        (("nowhere/out.h264", clip(1)), {}, FileNotFoundError, "nowhere/out.h264"),
        (("out.h264", []), {}, ValueError, "frames is empty; expected at least one frame"),
        (("out.h264", [bytes(100)]), {}, ValueError, r"bytes without a shape; pass format=.* and size="),
        (("out.h264", [bytes(100)]), {"format": "rgb"}, ValueError, "pass size="),
        (("out.h264", clip(1)), {"fps": -1}, ValueError, "fps is -1"),
        (("out.h264", clip(1)), {"format": "xyz"}, ValueError, "format is 'xyz'"),
    ],
)
def test_wrong_arguments_of_write_video_raise_one_clear_error_message(tmp_path, monkeypatch, arguments, settings, kind, part):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=part) as caught:
        nalu.write_video(*arguments, **({"fps": 25} | settings))
    assert "\n" not in str(caught.value)


def test_a_directory_as_output_is_refused(tmp_path):
    # Root can write to every directory, but not replace a directory with a file.
    (tmp_path / "out.h264").mkdir()
    with pytest.raises(IsADirectoryError, match=r"out\.h264 is a directory; expected") as caught:
        nalu.write_video(tmp_path / "out.h264", clip(1), fps=25)
    assert isinstance(caught.value, nalu.InputOutputError) and not os.listdir(tmp_path / "out.h264")


def test_a_call_that_cannot_succeed_leaves_the_existing_stream_unchanged(tmp_path):
    path = tmp_path / "out.h264"
    path.write_bytes(b"kept")
    for frames, settings in (([], {}), ([b"x"], {}), (clip(1), {"bit_rate": -1}), (clip(1), {"size": (1, 1)})):
        with pytest.raises(ValueError):
            nalu.write_video(path, frames, fps=25, overwrite=True, **settings)
    assert path.read_bytes() == b"kept"


def test_a_full_disk_raises_for_a_stream():
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="No space left"):
        nalu.write_video(full, clip(3), fps=25)


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path):
    path, link = tmp_path / "out.h264", tmp_path / "link.h264"
    path.write_bytes(b"kept")
    path.chmod(0o604)
    link.symlink_to("out.h264")
    with pytest.raises(FileExistsError, match=r"out\.h264 exists; overwrite=True replaces it") as caught:
        nalu.write_video(path, clip(1), fps=25)
    assert isinstance(caught.value, nalu.OutputExistsError)
    assert (caught.value.errno, caught.value.filename) == (errno.EEXIST, str(path))
    with pytest.raises(FileExistsError):
        nalu.write_video(link, clip(1), fps=25)

    def failing():
        yield from clip(20)
        assert path.read_bytes() == b"kept"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nalu.write_video(path, failing(), fps=25, overwrite=True, properties={"MaxFrameDelayCount": 0})
    assert path.read_bytes() == b"kept"
    assert sorted(os.listdir(tmp_path)) == ["link.h264", "out.h264"]
    nalu.write_video(link, clip(3), fps=25, overwrite=True)
    assert link.is_symlink() and path.stat().st_mode & 0o7777 == 0o604
    assert len(decoded(path.read_bytes(), 160, 96)) == 3
    assert sorted(os.listdir(tmp_path)) == ["link.h264", "out.h264"]


def test_a_pipe_is_written_and_not_replaced(tmp_path):
    path = tmp_path / "pipe.h264"
    os.mkfifo(path)
    received = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()))
    reader.start()
    nalu.write_video(path, clip(2), fps=25)
    reader.join(60)
    assert received[0][:5].hex() == "0000000167"
