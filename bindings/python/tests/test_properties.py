"""Properties as a mapping."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nalu
from nalu import properties


def test_threads_see_the_whole_catalogue(monkeypatch):
    """A thread that asks while another thread reads the catalogue for the first time."""
    read, whole, keys, seen = properties._read, len(nalu.catalogue()), [], []
    with ThreadPoolExecutor(1) as pool:

        def read_and_ask(key):
            keys.append(key)
            if len(keys) == 3:
                monkeypatch.setattr(properties, "_read", read)
                seen.append(pool.submit(lambda: len(nalu.catalogue())).result())
            return read(key)

        monkeypatch.setattr(properties, "_catalogue", {})
        monkeypatch.setattr(properties, "_read", read_and_ask)
        assert len(nalu.catalogue()) == whole
    assert seen == [whole]


def test_every_property_can_be_read(session):
    values = dict(session.properties)
    assert set(values) == {name for name in nalu.catalogue() if not name.startswith("x265.")}
    assert len(session.properties) == len(values)
    kinds = {"bool": bool, "int": int, "float": float, "str": str, "list of float": list}
    for name, value in values.items():
        assert value is None or isinstance(value, kinds[session.properties.info(name).type]), name


def test_set_properties_are_read_back(session):
    session["AverageBitRate"] = 3_000_000
    session.properties["DataRateLimits"] = [500_000, 1]
    session.properties.update({"RealTime": True, "YCbCrMatrix": "ITU_R_601_4"})
    assert session["AverageBitRate"] == 3_000_000
    assert session["DataRateLimits"] == [500_000.0, 1.0]
    assert session["RealTime"] is True
    assert session["YCbCrMatrix"] == "ITU_R_601_4"
    del session.properties["AverageBitRate"]
    session["RealTime"] = None
    assert session["AverageBitRate"] == 0
    assert session["RealTime"] is None
    assert "DataRateLimits" in session.properties


@pytest.mark.parametrize("number", [np.int64(2_000_000), np.float32(2_000_000), np.uint32(2_000_000), 2e6])
def test_numpy_numbers_are_accepted(session, number):
    session["AverageBitRate"] = number
    assert session["AverageBitRate"] == 2_000_000
    session["RealTime"] = np.bool_(True)
    session["DataRateLimits"] = np.array([500_000, 1])
    assert session["RealTime"] is True


def test_a_new_bit_rate_takes_effect_while_encoding():
    rng = np.random.default_rng(1)
    sizes = {}
    with nalu.CompressionSession(160, 96, frame_rate=25, bit_rate=2_000_000, real_time=True) as session:
        for rate in (2_000_000, 200_000):
            session["AverageBitRate"] = rate
            samples = []
            for _ in range(50):
                samples += session.encode(rng.integers(0, 255, (96, 160, 3), np.uint8))
            sizes[rate] = sum(map(len, samples + session.flush()))
    assert sizes[200_000] < sizes[2_000_000] / 3


def test_properties_can_be_set_and_read_as_text(session):
    session.properties.update("AverageBitRate=2000000,RealTime=true")
    assert session["AverageBitRate"] == 2_000_000
    copied = session.properties.text
    with nalu.CompressionSession(64, 48, properties=copied) as other:
        assert other.properties.text == copied
    assert repr(session.properties) == f"<Properties {copied}>"


def test_long_strings_and_lists_are_set_and_read(session):
    options = ":".join(["qpmin=10"] + ["ipratio=1.40"] * 60)
    session["x264.params"] = options
    session["DataRateLimits"] = [500_000, 1, 900_000, 2]
    assert session["x264.params"] == options
    assert options in session.properties.text


def test_several_properties_are_set_together_or_not_at_all(session):
    with pytest.raises(nalu.Error):
        session.properties.update({"AverageBitRate": 2_000_000, "Quality": 7})
    assert session["AverageBitRate"] == 0


def test_the_catalogue_describes_each_property():
    info = nalu.catalogue()["AverageBitRate"]
    assert info.type == "int" and info.live and info.writable and info.range == (0, 2e9)
    assert "bits per second" in info.documentation.lower()
    assert nalu.catalogue()["x264.preset"].allowed_values[0] == "ultrafast"
    assert not nalu.catalogue()["EncoderID"].writable


@pytest.mark.parametrize(
    "name, value, kind, part",
    [
        ("AverageBitRate", -5, ValueError, "-5"),
        ("AverageBitRate", "fast", TypeError, "AverageBitRate"),
        ("AverageBitRate", 2**70, ValueError, r"expected -2\*\*63"),
        ("AverageBitRate", object(), TypeError, "AverageBitRate is object"),
        ("Quality", float("nan"), ValueError, "Quality"),
        ("DataRateLimits", ["a"], TypeError, "expected a list of numbers"),
        ("x264.preset", "warp", ValueError, "warp"),
        ("x264.params", "a\0b", ValueError, "NUL"),
        ("EncoderID", "x", AttributeError, "EncoderID"),
        ("Nonsense", 1, KeyError, "Nonsense"),
        ("Depth", 24, KeyError, "this encoder stores YCbCr"),
        ("Non\0sense", 1, ValueError, "NUL"),
        (7, 1, TypeError, "the property's name is int"),
    ],
)
def test_a_wrong_value_raises_one_clear_error_message(session, name, value, kind, part):
    with pytest.raises(nalu.Error, match=part) as caught:
        session[name] = value
    assert isinstance(caught.value, kind)
    assert "\n" not in str(caught.value) and not str(caught.value).startswith("'")


def test_setting_a_property_after_the_first_frame_can_be_too_late(session, grey):
    session.encode(grey)
    with pytest.raises(nalu.TooLateError, match="ProfileLevel"):
        session["ProfileLevel"] = "H264_Main_AutoLevel"


@pytest.mark.parametrize("name, part", [("Nonsense", "Nonsense"), ("Depth", "it is a property of codecs that store RGB")])
def test_reading_an_unknown_property_raises_the_reason(session, name, part):
    with pytest.raises(KeyError, match=part):
        session[name]
    with pytest.raises(nalu.PropertyNotSupportedError, match=part):
        session.properties.info(name)
    assert name not in session.properties


def test_the_available_encoders_are_listed():
    encoders = nalu.encoders()
    first = encoders[0]
    assert first.id == "org.videolan.x264" and first.codec == "avc1" and first.name.startswith("x264")
    assert ("org.openh264.openh264", "OpenH264", "avc1") in encoders
    assert ("org.videolan.x265", "hvc1") in [(encoder.id, encoder.codec) for encoder in encoders]


@pytest.mark.parametrize("identifier", ["org.videolan.x264", "org.openh264.openh264"])
def test_a_session_has_the_encoder_that_is_asked_for(identifier):
    with nalu.CompressionSession(64, 48, encoder=identifier) as session:
        assert session["EncoderID"] == identifier
        session.prepare()


@pytest.mark.parametrize(
    "attribute, part",
    [
        ("bit_rate", r'expected session\["AverageBitRate"\]'),
        ("AverageBitRate", r'expected session\["AverageBitRate"\]'),
        ("max_key_frame_interval", r'expected session\["MaxKeyFrameInterval"\]'),
        ("fps", r'expected session\["ExpectedFrameRate"\]'),
        ("nonsense", r"nalu\.catalogue\(\) lists them"),
    ],
)
def test_an_attribute_that_does_not_exist_names_the_property(session, attribute, part):
    with pytest.raises(AttributeError, match=rf"a CompressionSession has no attribute '{attribute}'; .*{part}") as caught:
        setattr(session, attribute, 5000)
    assert "= " in str(caught.value) or attribute == "nonsense"
    with pytest.raises(AttributeError, match=part):
        getattr(session, attribute)
    assert not hasattr(session, attribute)
    with pytest.raises(AttributeError, match="width of a CompressionSession is read-only"):
        session.width = 5


def test_no_public_object_takes_a_new_attribute(session):
    writer, reader = nalu.media.Writer(io.BytesIO(), "matroska"), io.BytesIO()
    nalu.write_video(reader, [bytes(64 * 48)] * 2, fps=25, format="gray", size=(64, 48), container="mp4")
    reader.seek(0)
    video = nalu.open(reader)
    sample = next(video)
    with nalu.Decoder(low_delay=True) as decoder:
        (frame, *_) = decoder.decode(sample) + decoder.flush()
        things = [session, session.properties, writer, video, sample, frame, decoder, sample.format_description, sample.pts]
        things += [nalu.StreamParser(), nalu.MultiPassStorage(), nalu.parallel.File("x")]
        for thing in things:
            with pytest.raises(AttributeError):
                thing.bit_rat = 5
    writer.close()
