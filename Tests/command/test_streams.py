"""Streams of other encoders, cameras and broadcasts: nalu decode returns FFmpeg's frames, and prints no messages."""
from fractions import Fraction

import media
from h264_writer import Bits, Writer, annex_b, flv, prefixed
from media import pictures, succeeded
from support import CLIP, FRAMES, CommandTest, ffmpeg, run


def other_chroma(pps, offset):
    """Returns the H.265 PPS with another pps_cb_qp_offset (ITU-T H.265 7.3.2.3.1). It must not need emulation
    prevention."""
    text = "".join(format(byte, "08b") for byte in pps)
    at = 16

    def skip_exp_golomb():
        nonlocal at
        at += 2 * (text.index("1", at) - at) + 1

    for _ in range(2):
        skip_exp_golomb()
    at += 7
    for _ in range(3):
        skip_exp_golomb()
    at += 3
    if text[at - 1] == "1":
        skip_exp_golomb()
    start = at
    skip_exp_golomb()
    rest = text[at:text.rindex("1")]
    bits = Bits().u(8, pps[1])
    bits.text += text[16:start]
    bits.se(offset).text += rest
    return bits.unit(pps[0])


class StreamTest(CommandTest):
    def write(self, data, name="stream.h264"):
        path = self.directory / name
        path.write_bytes(data if isinstance(data, bytes) else annex_b(data))
        return path

    def decoded(self, path):
        output = self.directory / "decoded.y4m"
        result = run("decode", path, output, "--force")
        self.assertSucceeds(result)
        return pictures(output), result.stderr.decode()

    def check(self, path, count, reference=None):
        expected = pictures(reference or path, "-flags", "unaligned")
        self.assertEqual(len(expected), count)
        self.assertEqual(self.decoded(path)[0], expected)


class ParameterSets(StreamTest):
    def test_picture_parameter_sets_can_change_between_key_frames(self):
        """Each parameter set takes effect with the next picture."""
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number in (3, 4, 7):
                units.append(writer.pps(has_control=number != 4))
            units.append(writer.picture(number, 2 * number, 20 + 9 * number if number % 2 else None))
        self.check(self.write(units), 10)

    def test_picture_parameter_sets_can_be_added_between_key_frames(self):
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number == 5:
                units.append(writer.pps(1, has_control=True))
            units.append(writer.picture(number, 2 * number, 20 + 9 * number, pps=int(number > 4)))
        self.check(self.write(units), 10)

    def test_sequence_parameter_sets_can_change_between_key_frames(self):
        """The new SPS has the same size, as in spliced broadcasts."""
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        for number in range(1, 10):
            if number == 5:
                units += [writer.sps(level=41), writer.pps()]
            units.append(writer.picture(number, 2 * number, 20 + 9 * number if number % 2 else None))
        self.check(self.write(units), 10)

    def test_h265_parameter_sets_can_change_between_key_frames(self):
        """The QP offset of chroma changes at the tenth picture."""
        path = self.directory / "whole.h265"
        ffmpeg("-i", CLIP, "-frames:v", 30, "-c:v", "libx265", "-x265-params", "log-level=none:keyint=60:bframes=3:wpp=0", path)
        units = media.units(path.read_bytes())
        pps = next(unit for unit in units if unit[0] >> 1 == 34)
        slices = [index for index, unit in enumerate(units) if unit[0] >> 1 < 32 and unit[2] & 0x80]
        units.insert(slices[20], other_chroma(pps, 3))
        units.insert(slices[10], other_chroma(pps, -5))
        changed = self.write(units, "changed.h265")
        self.assertNotEqual(pictures(changed), pictures(path))
        self.check(changed, 30)

    def test_cropping_of_few_columns_is_exact(self):
        """By default FFmpeg crops fewer columns on the left, to keep memory aligned."""
        writer = Writer(4, 4)
        units = [writer.sps(crop=(3, 4, 1, 2)), writer.pps()]
        units += [writer.picture(0, 0, 20, is_idr=True), writer.picture(1, 2), writer.picture(2, 4, 99)]
        path = self.write(units)
        self.check(path, 3)
        self.assertIn("50x58", self.decoded(path)[1])


class Fields(StreamTest):
    """The second field of each frame refers to the first."""

    def pairs(self, writer, changes=()):
        """Yields the NAL units of each field of eight frames. New parameter sets precede the second field of the
        frames in `changes`."""
        control = False
        for number in range(8):
            order = 2 * number
            yield [writer.picture(number, order, 20 + 9 * number, is_idr=number == 0, intra=number % 3 == 0, field=0)]
            sets = []
            if number in changes:
                control = not control
                sets = [writer.pps(has_control=control)]
            yield sets + [writer.picture(number, order + 1, field=1) if number % 2 else
                          writer.picture(number, order + 1, 50 + 9 * number, field=1)]

    def stream(self, writer, changes=()):
        sets = [writer.sps(77), writer.pps()]
        return self.write(sets + [unit for field in self.pairs(writer, changes) for unit in field])

    def test_field_pairs_of_a_stream_are_decoded(self):
        self.check(self.stream(Writer(2, 4, fields=True)), 8)

    def test_parameter_sets_between_fields_take_effect(self):
        path = self.stream(Writer(2, 4, fields=True), changes=(0, 3, 4))
        self.check(path, 8)

    def test_field_pairs_of_a_transport_stream_are_decoded(self):
        """FFmpeg puts fields into separate packets, and second fields have no time."""
        for changes in ((), (0, 3, 4)):
            with self.subTest(changes=changes):
                path = self.stream(Writer(2, 4, fields=True), changes)
                transport = self.directory / "stream.ts"
                succeeded("demux", path, transport, "--force")
                self.check(transport, 8, path)

    def test_fields_with_their_own_times_are_one_frame(self):
        writer = Writer(2, 4, fields=True)
        sets = (writer.sps(77), writer.pps())
        fields = list(self.pairs(writer))
        reference = self.write([*sets, *(unit for field in fields for unit in field)])
        frames = [(20 * index, prefixed(*field)) for index, field in enumerate(fields)]
        path = self.write(flv(sets, frames), "fields.flv")
        self.check(path, 8, reference)
        stream = self.directory / "copy.h264"
        succeeded("demux", path, stream)
        self.assertEqual(pictures(stream), pictures(reference))

    def test_two_fields_of_type_idr_are_one_picture(self):
        """The standard does not pair them (ITU-T H.264 3.30), but FFmpeg does."""
        writer = Writer(2, 4, fields=True)
        path = self.write([writer.sps(77), writer.pps(), *(
            writer.picture(0, field, 20 + 9 * number + field, is_idr=True, field=field) for number in range(8) for field in range(2))])
        self.check(path, 8)
        for name in ("stream.ts", "stream.mp4"):
            copy = self.directory / name
            succeeded("demux", path, copy)
            self.check(copy, 8, path)

    def intra_fields(self, period, lost=None):
        """Returns the NAL units of 50 pictures of two intra fields, with an IDR picture every `period` pictures. `lost` is the
        picture and the field that is left out."""
        writer = Writer(2, 4, fields=True)
        result = []
        for index in range(50):
            number = index % period
            if number == 0:
                result += [writer.sps(77), writer.pps()]
            for field in range(2):
                if (index, field) != lost:
                    result.append(writer.picture(number, 2 * number + field, 20 + 4 * index + field, intra=True, field=field,
                                                 is_idr=number == 0 and field == 0))
        return result

    def test_a_lost_field_costs_only_its_picture(self):
        """The streams do not state their reorder depth, so that FFmpeg delays 16 pictures, over several key frames."""
        for period, picture in ((5, 10), (5, 12), (25, 10), (25, 25), (100, 10)):
            whole = pictures(self.write(self.intra_fields(period), f"whole-{period}.h264"))
            self.assertEqual(len(set(whole)), 50)
            path = self.write(self.intra_fields(period, (picture, 1)), f"lost-{period}-{picture}.h264")
            for threads in (1, 2):
                with self.subTest(period=period, picture=picture, threads=threads):
                    out = self.directory / "decoded.y4m"
                    result = run("decode", path, out, "--force", "-p", f"ThreadCount={threads}")
                    self.assertFails(result, 1, "frames could only be decoded partly" if period > picture else "")
                    decoded = pictures(out)
                    expected = whole[:picture] + whole[picture + 1:]
                    self.assertEqual([name for name in decoded if name in whole], expected)
                    self.assertLessEqual(len(decoded), 50)


class Order(StreamTest):
    def test_reordered_baseline_pictures_are_delivered_in_order(self):
        """P pictures in a profile without B pictures. The stream does not state the reorder depth."""
        for groups in ([4, 3, 2, 1], [2, 1], [3, 1, 2]):
            with self.subTest(groups=groups):
                writer = Writer()
                units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
                number = 0
                for group in range(5):
                    for place in groups:
                        order = 2 * (group * len(groups) + place)
                        number += 1
                        units.append(writer.picture(number, order, 20 + 3 * order))
                path = self.write(units)
                self.check(path, 1 + 5 * len(groups))
                for name in ("copy.mp4", "copy.ts", "copy.mkv"):
                    copy = self.directory / name
                    succeeded("demux", path, copy, "--force")
                    self.check(copy, 1 + 5 * len(groups), path)

    def test_large_steps_of_order_counts_do_not_reorder(self):
        """The order count increases by 8 from picture to picture, and nothing is reordered."""
        writer = Writer()
        units = [writer.sps(), writer.pps(), writer.picture(0, 0, 20, is_idr=True)]
        units += [writer.picture(number, 8 * number, 20 + number) for number in range(1, 60)]
        self.check(self.write(units), 60)


class Numbers(StreamTest):
    """Non-reference pictures repeat the frame_num of the picture before."""

    def units(self, lost=None):
        writer = Writer()
        result, number = [writer.sps(77), writer.pps(), writer.picture(0, 0, 20, is_idr=True)], 0
        for index in range(1, 21):
            is_reference = index % 3 == 1
            number += is_reference
            if index != lost:
                result.append(writer.picture(number, 2 * index, 20 + 9 * index, reference=is_reference))
        return result

    def test_an_intact_stream_has_no_loss(self):
        self.check(self.write(self.units()), 21)

    def test_a_lost_picture_is_reported(self):
        result = run("decode", self.write(self.units(lost=10)), self.directory / "decoded.y4m")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"10 frames could only be decoded partly", result.stderr)


class Samples(StreamTest):
    def test_start_codes_inside_a_length_prefixed_nal_unit_are_read(self):
        """A length precedes several NAL units in Annex B form, as some phones write them."""
        writer = Writer()
        sets = (writer.sps(77), writer.pps())
        slices = [writer.picture(0, 0, 20, is_idr=True)]
        slices += [writer.picture(number, 2 * number, 20 + 9 * number) for number in range(1, 6)]
        reference = self.write([*sets, *slices])
        prefix = bytes.fromhex("6e c0 80 0f")
        forms = {
            "prefix": lambda unit: prefixed(prefix + b"\0\0\0\1" + unit),
            "delimiter": lambda unit: prefixed(b"\x09\xf0\0\0\1" + unit + b"\0\0\0\1\x0c\xff\x80"),
            "start code first": lambda unit: prefixed(b"\0\0\0\1" + unit),
            "no length": lambda unit: annex_b([b"\x09\xf0", unit]),
        }
        for name, form in forms.items():
            with self.subTest(form=name):
                frames = [(40 * index, form(unit)) for index, unit in enumerate(slices)]
                self.check(self.write(flv(sets, frames), "phone.flv"), 6, reference)


class Beginnings(StreamTest):
    """Recordings that begin in the middle of a stream."""

    def encode(self, options, name="whole.h264"):
        path = self.directory / name
        ffmpeg("-i", CLIP, "-c:v", "libx264", "-x264-params", options, path)
        return path

    def test_parameter_sets_after_many_packets_are_found(self):
        """The parameter sets come after more packets than a reader usually examines."""
        whole = self.directory / "whole.ts"
        ffmpeg("-stream_loop", 5, "-i", CLIP, "-c:v", "libx264", "-x264-params", "keyint=400:min-keyint=400:scenecut=0:bframes=0",
               "-s", "64x48", whole)
        data = whole.read_bytes()
        path = self.write(data[188 * 6:], "late.ts")
        expected = pictures(path, "-v", "fatal")
        self.assertEqual(len(expected), 6 * 120 - 400)
        found, told = self.decoded(path)
        self.assertEqual(found, expected)
        notice = "39[0-9] frames before the first key frame left out"
        self.assertRegex(told, notice)
        for command in ("transcode", "encode"):
            output = ("-o",) if command == "encode" else ()
            result = run(command, path, *output, self.directory / "again.mp4", "--force")
            self.assertSucceeds(result)
            self.assertRegex(result.stderr.decode(), notice)

    def test_decoding_starts_at_a_recovery_point(self):
        """Earlier pictures that cannot be shown count for the order of later pictures."""
        options = "keyint=30:min-keyint=30:scenecut=0:open-gop=1:bframes=3:b-pyramid=normal:b-adapt=0:ref=4:no-mbtree=1"
        units = self.encode(options).read_bytes().split(b"\0\0\0\1\x67")
        self.assertEqual(len(units), 5)
        path = self.write(b"".join(b"\0\0\0\1\x67" + unit for unit in units[2:]))
        expected = pictures(path, "-v", "fatal")
        found, _ = self.decoded(path)
        self.assertGreater(len(found), 55)
        self.assertEqual(found, expected[-len(found):])


class PacketsOfSeveralPictures(StreamTest):
    def test_times_of_a_program_stream_follow_the_frame_rate(self):
        """Only the first picture of a packet has a time. The times of the others follow from the stream's frame
        rate."""
        path = self.directory / "clip.mpg"
        ffmpeg("-i", CLIP, "-c:v", "libx264", "-x264-params", "keyint=40:bframes=3:b-adapt=0", "-f", "vob", path)
        self.check(path, FRAMES)
        copy = self.directory / "copy.mp4"
        self.assertSucceeds(run("demux", path, copy, "--quiet"))
        self.assertEqual(pictures(copy), pictures(path))
        shown = media.times(copy)
        self.assertEqual({second - first for first, second in zip(shown, shown[1:])}, {Fraction(1001, 30000)})
