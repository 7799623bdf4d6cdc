"""Encoding audio, with ffmpeg as the decoder."""

from __future__ import annotations

import array
import math
import subprocess

import pytest

import nalu
from nalu.media import AudioEncoder, Writer

RATE = 48000


def tone(start: int, count: int, kind: str = "f", channels: int = 1) -> array.array:
    """Returns frames of a tone with a beep of 50 ms at each half second."""
    frames = array.array(kind)
    for number in range(start, start + count):
        beeps = number % RATE // 2400 == 10
        value = 0.5 * math.sin(2 * math.pi * 1000 * number / RATE) if beeps else 0.0
        frames.extend([value if kind == "f" else int(value * 32767)] * channels)
    return frames


@pytest.mark.parametrize(("kind", "channels"), [("f", 1), ("h", 2)])
def test_audio_is_written_beside_the_video(tmp_path, kind, channels):
    path = tmp_path / "audio.mp4"
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session, AudioEncoder(RATE, channels) as encoder:
        assert encoder.format_description.codec_string == "mp4a.40.2"
        assert encoder.format_description.sample_rate == RATE
        assert encoder.format_description.channel_count == channels
        with Writer(path, start_at_zero=True) as writer:
            writer.add_audio(encoder.format_description)
            for number in range(50):
                for sample in encoder.encode(tone(number * 1920, 1920, kind, channels), number / 25):
                    writer.write(sample)
                for sample in session.encode(bytes(64 * 48)):
                    writer.write(sample)
            for sample in encoder.flush() + session.flush():
                writer.write(sample)
        assert encoder.counts.frames_in == 96000
        assert abs(encoder.counts.offset) < 0.001
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:a", "-ac", "1", "-f", "f32le", "-"]
    heard = array.array("f", subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    loud = [number for number, value in enumerate(heard) if abs(value) > 0.1]
    assert loud[0] == pytest.approx(0.5 * RATE, abs=0.003 * RATE)
    assert loud[-1] == pytest.approx(1.55 * RATE, abs=0.003 * RATE)
    assert len(heard) == pytest.approx(2 * RATE, abs=1024)


def test_mistakes_raise_with_the_remedy(tmp_path):
    with pytest.raises(ValueError, match="expected one of 7350, "):
        AudioEncoder(44000)
    with pytest.raises(ValueError, match="expected 1 to 8"):
        AudioEncoder(channels=9)
    with pytest.raises(ValueError, match="expected 16000 to 576000"):
        AudioEncoder(bit_rate=1)
    for wrong in ({"sample_rate": "48000"}, {"channels": None}, {"bit_rate": "64k"}, {"channels": True}):
        with pytest.raises(TypeError, match=f"{next(iter(wrong))} is .*; expected an int"):
            AudioEncoder(**wrong)
    with pytest.raises(ValueError, match="sample_rate is 4295015296; expected 7350 to 96000"):
        AudioEncoder(2**32 + 48000)
    encoder = AudioEncoder(8000, 2)
    with pytest.raises(TypeError, match="frames is NoneType; expected a buffer"):
        encoder.encode(None, 0.0)
    with pytest.raises(TypeError, match="expected 16-bit integers"):
        encoder.encode(b"1234", 0.0)
    with pytest.raises(ValueError, match="expected a multiple of 2"):
        encoder.encode(array.array("h", [1]), 0.0)
    with pytest.raises(ValueError, match="expected a numeric time"):
        encoder.encode(array.array("h", [1, 2]))
    samples = encoder.encode(array.array("h", bytes(4 * 100)), 0.0) + encoder.flush()
    assert samples[0].format_description == encoder.format_description
    with pytest.raises(nalu.Error, match="the audio encoder is finished"):
        encoder.encode(array.array("h", [1, 2]))
    with Writer(tmp_path / "a.mp4") as writer, pytest.raises(ValueError, match="expected add_audio"):
        writer.write(samples[0])
    encoder.close()
    with pytest.raises(ValueError, match="the audio encoder is closed"):
        encoder.flush()
