"""nalu capture --audio: both tracks in every container, in step; Ctrl-C; devices of PipeWire; refusals."""
import array
import json
import re
import signal
import statistics
import subprocess
import time

import pipewire
from support import CommandTest, TIME_LIMIT, ffmpeg, run, start, wait_until
from test_capture import SMALL, numbers

RATE = 48000


def tracks(path):
    """Returns ffprobe's facts about the streams, by their type."""
    result = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", path], capture_output=True, check=True,
                            timeout=TIME_LIMIT)
    return {stream["codec_type"]: stream for stream in json.loads(result.stdout)["streams"]}


def picture_times(path):
    """Returns the presentation times of the pictures in seconds."""
    result = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of",
                             "csv=p=0", path], capture_output=True, check=True, timeout=TIME_LIMIT)
    return [float(line.strip(",")) for line in result.stdout.decode().split()]


def beeps(path):
    """Returns the times at which the test source's beeps begin, in seconds, as FFmpeg decodes them."""
    pcm = array.array("f", ffmpeg("-copyts", "-i", path, "-map", "0:a", "-af", "aresample=48000:async=1:first_pts=0", "-ac", 1,
                                  "-f", "f32le", "-"))
    loud = [index for index, value in enumerate(pcm) if abs(value) > 0.2]
    return [index / RATE for last, index in zip([-RATE] + loud, loud) if index - last > RATE / 10]


class Audio(CommandTest):
    def assertInStep(self, path, frame_rate, seconds):
        """Checks that each beep is within 20 ms of the picture with which a second of the test source begins."""
        counters, times = numbers(path), picture_times(path)
        self.assertEqual(len(counters), len(times))
        # The time of picture 0. Second n begins with picture n * frame_rate.
        origins = [time - counter / frame_rate for counter, time in zip(counters, times)]
        origin = statistics.median(origins)
        self.assertLess(max(origins) - min(origins), 0.005)
        found = beeps(path)
        self.assertGreaterEqual(len(found), seconds - 1)
        for beep in found:
            distance = (beep - origin + 0.5) % 1 - 0.5
            # The beginning of the file may lie inside a beep.
            if beep - times[0] > 0.1:
                self.assertLess(abs(distance), 0.02, (beep, origin, found))

    def test_both_tracks_are_in_step(self):
        for extension in ("mp4", "mov", "mkv", "ts"):
            with self.subTest(extension):
                path = self.directory / f"clip.{extension}"
                result = run("capture", "test", "--audio", "test", path, "--duration", "4", "--fps", "30", *SMALL)
                self.assertSucceeds(result)
                facts = tracks(path)
                self.assertEqual(set(facts), {"video", "audio"})
                self.assertEqual(facts["audio"]["codec_name"], "aac")
                self.assertEqual((int(facts["audio"]["sample_rate"]), facts["audio"]["channels"]), (RATE, 2))
                self.assertInStep(path, 30, 4)
                line = re.search(r"audio: ([\d.]+) s of 48000 Hz, 2 channels from test", result.stderr.decode())
                self.assertTrue(line, result.stderr.decode())
                self.assertTrue(3.5 < float(line[1]) < 4.1, line[0])

    def test_a_clock_that_is_fast_stays_in_step(self):
        path = self.directory / "clip.mp4"
        source = "test:audio-clock=1.01"
        self.assertSucceeds(run("capture", source, "--audio", source, path, "--duration", "6", *SMALL))
        self.assertInStep(path, 30, 6)

    def test_ctrl_c_leaves_a_whole_file(self):
        path = self.directory / "clip.mp4"
        with start("capture", "test", "--audio", "test", path, *SMALL, stderr=subprocess.PIPE) as program:
            time.sleep(2)
            program.send_signal(signal.SIGINT)
            errors = program.stderr.read().decode()
            self.assertEqual(program.wait(), 130, errors)
        facts = tracks(path)
        self.assertEqual(set(facts), {"video", "audio"})
        self.assertLess(abs(float(facts["video"]["duration"]) - float(facts["audio"]["duration"])), 0.15)
        ffmpeg("-i", path, "-f", "null", "-")

    def test_refusals(self):
        path = self.directory / "clip.mp4"
        for raw in ("clip.h264", "-"):
            self.assertRefuses(run("capture", "test", "--audio", "test", self.directory / raw if raw != "-" else raw), 64,
                               "--audio", "raw h264 stream", ".mp4")
        self.assertRefuses(run("capture", "test", "--audio", "nonsense", path), 1, "nonsense", "microphone")
        self.assertRefuses(run("capture", "test", path, "--record", self.directory / "b.mp4"), 64, "--record", "address")
        self.assertFalse(path.exists())


class PipeWire(pipewire.PipeWireTest):
    def test_a_camera_and_a_microphone(self):
        _, camera = self.server.camera("camera-a")
        _, microphone = self.server.microphone("microphone-a")
        path = self.directory / "clip.mkv"
        result = run("capture", camera, "--audio", microphone, path, "--duration", "3", env=self.server.environment)
        self.assertSucceeds(result)
        self.assertEqual(set(tracks(path)), {"video", "audio"})
        text = result.stderr.decode()
        video = float(re.search(r"fps, ([\d.]+) s;", text)[1])
        audio = float(re.search(r"audio: ([\d.]+) s", text)[1])
        self.assertLess(abs(video - audio), 0.3, text)
        times = picture_times(path)
        self.assertEqual(times, sorted(times))
        refused = run("capture", microphone, self.directory / "b.mkv", env=self.server.environment)
        self.assertRefuses(refused, 64, "no pictures", "--audio")

    def test_the_default_devices_and_a_server_that_ends(self):
        self.server.camera("camera-b")
        self.server.microphone("microphone-b")
        path = self.directory / "clip.mkv"
        with start("capture", "camera", "--audio", "microphone", path, stderr=subprocess.PIPE,
                   env=self.server.environment) as capture:
            wait_until(lambda: path.exists() and path.stat().st_size > 30000, "the beginning of the recording")
            self.server.server.kill()
            errors = capture.stderr.read().decode()
            self.assertEqual(capture.wait(), 1, errors)
        self.assertIn("PipeWire's server has ended", errors)
        self.assertEqual(set(tracks(path)), {"video", "audio"})
        ffmpeg("-i", path, "-f", "null", "-")
