"""Streams as other encoders, cameras and broadcasts make them: nalu decode gives FFmpeg's frames, and complains of nothing."""
from h264_writer import Writer, annex_b
from media import pictures, succeeded
from support import CommandTest, run


class StreamTest(CommandTest):
    def write(self, data, name="stream.h264"):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else annex_b(data))
        return path

    def decoded(self, path):
        output = self.folder / "decoded.y4m"
        result = run("decode", path, output, "--force")
        self.assertSucceeds(result)
        return pictures(output), result.stderr.decode()

    def check(self, path, count, reference=None):
        expected = pictures(reference or path, "-flags", "unaligned")
        self.assertEqual(len(expected), count)
        self.assertEqual(self.decoded(path)[0], expected)


class ParameterSets(StreamTest):
    def test_changed_between_key_frames(self):
        """Each set takes effect with the next picture."""
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number in (3, 4, 7):
                units.append(writer.pps(has_control=number != 4))
            units.append(writer.picture(number, 2 * number, 20 + 9 * number if number % 2 else None))
        self.check(self.write(units), 10)

    def test_added_between_key_frames(self):
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number == 5:
                units.append(writer.pps(1, has_control=True))
            units.append(writer.picture(number, 2 * number, 20 + 9 * number, pps=int(number > 4)))
        self.check(self.write(units), 10)

    def test_sequence_changed_between_key_frames(self):
        """Of the same size, as in spliced broadcasts."""
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number == 5:
                units += [writer.sps(level=41), writer.pps()]
            units.append(writer.picture(number, 2 * number, 20 + 9 * number if number % 2 else None))
        self.check(self.write(units), 10)

    def test_cropping_of_few_columns(self):
        """FFmpeg cuts off less on the left unless it is told not to."""
        writer = Writer(4, 4)
        units = [writer.sps(crop=(3, 4, 1, 2)), writer.pps()]
        units += [writer.picture(0, 0, 20, is_idr=True), writer.picture(1, 2), writer.picture(2, 4, 99)]
        path = self.write(units)
        self.check(path, 3)
        self.assertIn("50x58", self.decoded(path)[1])
