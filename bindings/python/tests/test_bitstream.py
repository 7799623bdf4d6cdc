"""NAL units, samples and format descriptions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nalu
from nalu import bitstream

# NAL units that need no escaping: they neither end in zero nor contain a start code.
units = st.lists(st.binary(min_size=1, max_size=200).map(lambda data: bytes(byte | 1 for byte in data)), max_size=8)


@given(units=units, size=st.sampled_from([2, 4]))
def test_annex_b_survives_conversion_to_length_prefixes_and_back(units, size):
    stream = b"".join(b"\0\0\0\1" + unit for unit in units)
    if not units:
        return
    prefixed = bitstream.annex_b_to_length_prefixed(stream, size)
    assert prefixed == b"".join(len(unit).to_bytes(size, "big") + unit for unit in units)
    assert bitstream.length_prefixed_to_annex_b(prefixed, size) == stream
    assert list(bitstream.nal_units(stream)) == units
    assert list(bitstream.nal_units(prefixed, length_size=size)) == units


@pytest.fixture
def sample(session, grey) -> nalu.Sample:
    return session.encode(grey)[0]


def test_a_sample_is_converted_to_each_annex_b_form(sample):
    format = sample.format_description
    own = bitstream.length_prefixed_to_annex_b(sample.data)
    assert sample.annex_b("never") == own
    sets = b"".join(b"\0\0\0\1" + unit for unit in format.parameter_sets)
    assert sample.annex_b() == sample.annex_b("always") == sets + own
    assert sample.nal_units == list(bitstream.nal_units(own))
    assert len(sample) == len(sample.data)
    assert bitstream.annex_b_to_length_prefixed(memoryview(own)) == sample.data
    with pytest.raises(ValueError, match="parameter_sets is 'often'; expected one of key_frames, never, always"):
        sample.annex_b("often")


def test_a_sample_has_its_flags_times_and_nal_units(session, grey):
    first, second = session.encode(grey), session.encode(grey)
    assert first[0].is_key_frame and not first[0].depends_on_others and first[0].is_depended_on
    assert not second[0].is_key_frame and second[0].depends_on_others
    assert not first[0].is_recovery_point
    assert first[0].dts == first[0].pts
    assert 0 <= first[0].average_qp <= 51
    assert repr(second[0]) == f"<Sample frame pts=0.04 s, {len(second[0])} bytes>"


def test_a_format_description_has_size_profile_and_parameter_sets(sample):
    format = sample.format_description
    assert (format.width, format.height, format.length_size) == (64, 48, 4)
    sps = format.parameter_sets[0]
    assert format.codec_string == bitstream.codec_string(sps) == "avc1." + sps[1:4].hex()
    assert format.sequence == bitstream.parse_sps(sps)
    assert format.sequence.width == 64 and format.sequence.coded_width == 64
    for other in (
        nalu.FormatDescription.from_avcc(format.avcc),
        nalu.FormatDescription.from_parameter_sets(format.parameter_sets),
    ):
        assert other == format and hash(other) == hash(format)
        assert other.avcc == format.avcc
    assert format != 3
    assert repr(format) == f"<FormatDescription {format.codec_string} 64x48>"


@pytest.mark.parametrize(
    "use, part",
    [
        (lambda: list(bitstream.nal_units(b"abc")), "start code"),
        (lambda: bitstream.annex_b_to_length_prefixed(b"\0\0\1e", 3), "length_size"),
        (lambda: bitstream.parse_sps(b""), "the SPS is empty"),
        (lambda: bitstream.codec_string(b"\x68abc"), "an SPS NAL unit"),
        (lambda: nalu.FormatDescription.from_parameter_sets([]), "count is 0; expected 2"),
        (lambda: nalu.FormatDescription.from_avcc(b"\1"), "1 bytes is cut off"),
        (lambda: bitstream.parse_sps("text"), "expected bytes"),
        (lambda: bitstream.parse_sps(7), "expected bytes"),
        (lambda: nalu.FormatDescription.from_avcc("text"), "expected bytes"),
        (lambda: nalu.FormatDescription.from_parameter_sets([7, 8]), "expected bytes"),
    ],
)
def test_bad_bytes_raise_one_clear_error_message(use, part):
    with pytest.raises(nalu.Error, match=part) as caught:
        use()
    assert str(caught.value) and "\n" not in str(caught.value)
