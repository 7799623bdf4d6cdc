"""Sessions for H.265."""

import nalu
import pytest
from nalu.media import Reader, Writer


@pytest.mark.parametrize("bits, profile", [(8, 1), (10, 2)])
def test_samples_of_a_session_are_hevc(bits, profile):
    with nalu.CompressionSession(
        64, 48, codec="hevc", frame_rate=25, preset="ultrafast", format="gray", properties={"OutputBitDepth": bits}
    ) as session:
        samples = [sample for number in range(12) for sample in session.encode(bytes([16 * number]) * (64 * 48))]
        samples += session.flush()
        assert session["EncoderID"] == "org.videolan.x265"
    assert len(samples) == 12 and samples[0].is_key_frame
    description = samples[0].format_description
    assert description.codec == "hevc" and description.codec_string.startswith(f"hvc1.{profile}.")
    assert len(description.parameter_sets) == 3


@pytest.mark.parametrize("codec", ["h265", "hvc1", None, 5])
def test_an_unknown_codec_is_refused(codec):
    with pytest.raises(nalu.InvalidValueError, match="expected 'h264' or 'hevc'"):
        nalu.CompressionSession(64, 48, codec=codec)


def test_what_x265_lacks_is_refused_with_the_reason():
    with pytest.raises(nalu.InvalidValueError, match="quality"):
        nalu.CompressionSession(64, 48, codec="hevc", crf=20)
    with pytest.raises(nalu.Error, match="force a key frame"):
        nalu.CompressionSession(64, 48, codec="hevc", properties={"EnableLTR": True})
    with pytest.raises(nalu.Error, match="width is 16; expected 32"):
        nalu.CompressionSession(16, 48, codec="hevc")


@pytest.mark.parametrize("container", ["mp4", "matroska", "mpegts", "hevc"])
def test_containers_take_the_samples(container, tmp_path):
    path = tmp_path / "clip"
    with nalu.CompressionSession(64, 48, codec="hevc", frame_rate=25, preset="ultrafast", format="gray") as session:
        samples = [sample for number in range(8) for sample in session.encode(bytes([20 * number]) * (64 * 48))]
        samples += session.flush()
    with Writer(str(path), container=container) as writer:
        for sample in samples:
            writer.write(sample)
    with Reader(str(path)) as reader:
        assert sum(1 for _ in reader) == 8
