"""The description of a decoded frame, and sessions that adopt it."""

from __future__ import annotations

import io
import struct
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT

import nalu
from nalu.media._signal import Signals
from nalu.properties import _read_text

COLOUR = (200, 50, 100)
DISPLAY = [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10000000, 50]
BT2020 = {"ColorPrimaries": 9, "TransferFunction": 16, "YCbCrMatrix": 9}


def file_of(properties, size=(64, 48), count: int = 3, colour=COLOUR, **more) -> io.BytesIO:
    """Returns a file of one colour."""
    frame = np.full((size[1], size[0], 3), colour, np.uint8)
    file = io.BytesIO()
    nalu.write_video(file, [frame] * count, fps=25, quality=1.0, container="mp4", properties=properties, **more)
    return file


def read(file, **settings) -> nalu.media.Video:
    file.seek(0)
    return nalu.read_video(file, **settings)


def rewritten(frames, **settings) -> io.BytesIO:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nalu.write_video(file, frames, container="mp4", quality=1.0, **settings)
    return file


def shown(file) -> "list[int]":
    return read(file)[0].array[20, 30].tolist()


def is_near(colour) -> bool:
    return all(abs(a - b) < 5 for a, b in zip(colour, COLOUR))


@pytest.mark.parametrize("format", ["rgb", "i420", "nv12", None])
@pytest.mark.parametrize(("matrix", "source", "size"), [(1, (64, 48), None), (9, (64, 48), (32, 24)), (6, (96, 720), (96, 48)),
                                                        (1, (96, 720), (96, 48))])  # fmt: skip
def test_a_rewritten_file_has_the_colours_of_its_source(matrix, source, size, format):
    file = file_of({"YCbCrMatrix": matrix, "ColorPrimaries": 9, "TransferFunction": 1}, source)
    frames = read(file, format=format, size=size)
    assert frames[0].properties == {"ColorPrimaries": 9, "TransferFunction": 1, "YCbCrMatrix": matrix} | (
        {"NaluChromaLocation": 1} if format != "rgb" else {}
    )
    other = rewritten(frames)
    assert is_near(shown(file)) and is_near(shown(other))
    assert read(other)[0].properties == read(file)[0].properties


def test_pictures_of_a_stream_without_a_matrix_keep_the_assumed_one():
    # x264 writes no matrix.
    session = nalu.CompressionSession(96, 720, frame_rate=25, quality=1.0, properties={"YCbCrMatrix": 2})
    frame = (np.full((720, 96), 100, np.uint8), np.full((360, 48), 90, np.uint8), np.full((360, 48), 200, np.uint8))
    samples = session.encode(frame, format="i420") + session.flush()
    assert samples[0].format_description.sequence.matrix_coefficients == 2
    with nalu.Decoder(format="i420", size=(96, 48)) as decoder, nalu.Decoder(size=(96, 48), format="rgb") as rgb:
        [small] = decoder.decode(samples[0]) + decoder.flush()
        [expected] = rgb.decode(samples[0]) + rgb.flush()
    assert small.properties["YCbCrMatrix"] == 1
    colour = shown(rewritten([small]))
    assert all(abs(a - b) < 5 for a, b in zip(colour, expected.array[20, 30].tolist()))


@pytest.mark.parametrize("codec", ["h264", "hevc"])
def test_hdr_descriptions_are_kept(codec):
    properties = BT2020 | {"MasteringDisplayColorVolume": DISPLAY, "ContentLightLevelInfo": (1000, 400)}
    with nalu.CompressionSession(64, 48, frame_rate=25, codec=codec, properties=properties) as session:
        samples = [each for _ in range(3) for each in session.encode(np.full((48, 64, 3), COLOUR, np.uint8))] + session.flush()
    with nalu.Decoder() as decoder:
        frames = [frame for sample in samples for frame in decoder.decode(sample)] + decoder.flush()
    for frame in frames:
        assert frame.properties["MasteringDisplayColorVolume"] == tuple(DISPLAY)
        assert frame.properties["ContentLightLevelInfo"] == (1000, 400)
    again = read(rewritten(frames))[0].properties
    assert {name: again[name] for name in BT2020} == BT2020
    assert again["MasteringDisplayColorVolume"] == tuple(DISPLAY) and again["ContentLightLevelInfo"] == (1000, 400)


def levels_in(messages: bytes) -> dict:
    """Returns the levels in an SEI NAL unit of H.264 with these messages."""
    signals = Signals()
    signals._look(b"\x06" + messages + b"\x80", False)
    return signals._levels


def test_levels_are_read_from_among_other_sei_messages():
    light = bytes([144, 4]) + struct.pack(">2H", 1000, 400)
    display = bytes([137, 24]) + struct.pack(">8H2I", *DISPLAY)
    # 255 continues a type or a size; the payload of the first message resembles a message.
    other = bytes([255, 1, 255, 3]) + light * 43
    emulated = display.replace(b"\0\0\0", b"\0\0\3\0")
    assert emulated != display
    for messages in (light + display, other + display + light, emulated + light):
        assert levels_in(messages) == {144: (1000, 400), 137: tuple(DISPLAY)}


@pytest.mark.parametrize("size", [0, 1, 3, 255])
def test_levels_that_are_cut_off_are_not_read(size):
    assert levels_in(bytes([144, size]) + struct.pack(">2H", 1000, 400)[:size] + bytes([1, 0])) == {}


def test_many_sei_messages_take_time_in_proportion():
    began = time.process_time()
    assert levels_in(b"\1\0" * 400_000) == {}
    # 0.2 s. Copying the rest at each message takes 20 s or more.
    assert time.process_time() - began < 6


@pytest.mark.parametrize("format", ["rgb", None])
def test_fields_and_the_shape_of_pixels_are_kept(format):
    file = file_of({"FieldCount": 2, "FieldDetail": "TemporalBottomFirst", "PixelAspectRatio": (4, 3)}, (64, 64))
    frames = read(file, format=format)
    own = read(rewritten(frames), format=format)[0]
    assert own.field_order == frames[0].field_order == "bottom"
    assert own.properties["PixelAspectRatio"] == (4, 3) and own.properties["FieldDetail"] == "TemporalBottomFirst"
    # Scaled to the shape of its square pixels, by the decoder and by the session.
    for frames, size in ((read(file, format=format, size=(128, 96)), None), (read(file, format=format), (128, 96))):
        other = rewritten(frames, size=size)
        with nalu.open(io.BytesIO(other.getvalue())) as reader:
            assert reader.tracks[0].pixel_aspect_ratio == (1, 1) and (reader.tracks[0].width, reader.tracks[0].height) == (128, 96)
        assert read(other)[0].field_order is None
    wide = read(rewritten(read(file, size=(64, 32))))[0].properties
    assert wide["PixelAspectRatio"] == (2, 3)


def test_the_callers_properties_precede_those_of_the_frame():
    frames = read(file_of(BT2020 | {"PixelAspectRatio": (4, 3)}), format="i420")
    for settings, expected in (
        ({"YCbCrMatrix": "ITU_R_709_2"}, (9, 1)),
        ({"YCbCrMatrix": None, "ColorPrimaries": 1}, (1, 6)),
        ("YCbCrMatrix=1,PixelAspectRatio=[8,9]", (9, 1)),
        ({"x264.params": "colormatrix=bt709"}, (9, 1)),
        ('x264.params = "ref=2:colormatrix=bt709"', (9, 1)),
    ):
        found = read(rewritten(frames, properties=settings))[0].properties
        assert (found["ColorPrimaries"], found["YCbCrMatrix"]) == expected
        assert found["PixelAspectRatio"] == ((8, 9) if "[8,9]" in settings else (4, 3))
    session = nalu.CompressionSession(64, 48, frame_rate=25)
    session["YCbCrMatrix"] = 1
    session.encode(frames[0])
    assert session["YCbCrMatrix"] == "ITU_R_709_2" and session["ColorPrimaries"] == "ITU_R_2020"


def test_only_settings_of_a_text_count_as_set():
    text = 'PixelTransferProperties="ScalingMode=Letterbox,YCbCrMatrix=1",PixelAspectRatio=[8, 9], x264.params = "cll=1,2"'
    assert _read_text(text.encode()) == {
        "PixelTransferProperties": "ScalingMode=Letterbox,YCbCrMatrix=1",
        "PixelAspectRatio": None,
        "x264.params": "cll=1,2",
    }


def test_a_frame_that_is_refused_leaves_no_properties():
    frames = read(file_of({"FieldCount": 2, "PixelAspectRatio": (4, 3), "ColorPrimaries": 9}, (64, 64)))
    session = nalu.CompressionSession(64, 64, frame_rate=25, properties={"ColorPrimaries": 1})
    with pytest.raises(ValueError, match="presentation_time is invalid"):
        session.encode(frames[0], nalu.Time(1, 1, 0))
    assert session["FieldCount"] == 2
    session.encode(np.zeros((64, 64, 3), np.uint8))
    assert (session["FieldCount"], session["PixelAspectRatio"], session["ColorPrimaries"]) == (1, [], "ITU_R_709_2")


@pytest.mark.parametrize("wait", [False, True])
def test_a_session_adopts_the_properties_of_one_frame_if_two_threads_begin(monkeypatch, wait):
    first, second = (read(file_of({"PixelAspectRatio": (4, 3), "ColorPrimaries": 9}))[0], read(file_of({"ColorPrimaries": 1}))[0])
    session = nalu.CompressionSession(64, 48, frame_rate=25)
    adopted, refused, threads = [], [], []
    properties_at = nalu.media.Frame._properties_at

    def encode_second() -> None:
        try:
            session.encode(second, nalu.Time(2, 25), wait=wait)
        except nalu.WouldBlockError as error:
            refused.append(error)

    def begin_second(frame, size):
        adopted.append(frame)
        if not threads:
            # The first thread is adopting. The second one cannot end before it, unless it does not wait.
            threads.append(threading.Thread(target=encode_second))
            threads[0].start()
            threads[0].join(0.05 if wait else PROGRAM_LIMIT)
        return properties_at(frame, size)

    monkeypatch.setattr(nalu.media.Frame, "_properties_at", begin_second)
    session.encode(first, nalu.Time(1, 25))
    threads[0].join(PROGRAM_LIMIT)
    assert adopted == [first] and len(refused) == (0 if wait else 1)
    assert session.statistics.accepted_frames == (2 if wait else 1)
    assert (session["PixelAspectRatio"], session["ColorPrimaries"]) == ([4, 3], "ITU_R_2020")


@pytest.mark.parametrize("call", ["encode", "submit", "append", "write_video"])
def test_a_warning_names_the_line_of_the_client(call):
    [frame, *_] = read(file_of({"FieldCount": 2}, (64, 64)))
    settings = {"properties": {"ProfileLevel": "H264_Baseline_AutoLevel"}}
    session = nalu.CompressionSession(64, 64, frame_rate=25, **settings)
    writer = nalu.VideoWriter(io.BytesIO(), fps=25, **settings)
    with pytest.warns(UserWarning, match="the frame has FieldCount 2") as caught:
        if call == "write_video":
            nalu.write_video(io.BytesIO(), [frame], fps=25, **settings)
        else:
            getattr(writer if call == "append" else session, call)(frame)
    writer.close()
    assert [warning.filename for warning in caught] == [__file__]


def test_a_description_that_the_session_refuses_warns():
    frames = read(file_of({"FieldCount": 2}, (64, 64)))
    session = nalu.CompressionSession(64, 64, frame_rate=25, properties={"ProfileLevel": "H264_Baseline_AutoLevel"})
    with pytest.warns(UserWarning, match="the frame has FieldCount 2, FieldDetail TemporalTopFirst, which the session does not"):
        session.encode(frames[0])
    session.flush()
    session = nalu.CompressionSession(64, 64, frame_rate=25)
    session.encode(np.zeros((64, 64, 3), np.uint8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Only the first frame describes the stream.
        session.encode(frames[1])
    assert session["FieldCount"] == 1
