"""Every command that writes accepts its output as the second argument and with -o, and writes the same bytes."""
from support import CLIP, CommandTest, run


class Output(CommandTest):
    def both(self, extension, *command):
        """Returns the bytes of a file named in each of the two ways, and of standard output."""
        paths = [self.directory / f"{command[0]}-{number}{extension}" for number in range(3)]
        for form in ((paths[0],), ("-o", paths[1]), (f"--output={paths[2]}",)):
            result = run(*command, *form)
            self.assertEqual(result.returncode, 0, result.stderr)
        results = [path.read_bytes() for path in paths]
        for form in (("-",), ("-o", "-")):
            result = run(*command, *form)
            self.assertEqual(result.returncode, 0, result.stderr)
            results.append(result.stdout)
        return results

    def same(self, results):
        self.assertGreater(len(results[0]), 100)
        for other in results[1:]:
            self.assertEqual(results[0], other)

    def test_the_output_can_be_the_second_argument_or_that_of_o(self):
        movie, stream = self.directory / "clip.mp4", self.directory / "clip.h264"
        encoder = ("--frames", "5", "-p", "x264.params=threads=1", "--container", "h264")
        self.same(self.both(".h264", "encode", CLIP, *encoder))
        self.assertEqual(run("encode", CLIP, movie, "--frames", "5").returncode, 0)
        self.assertEqual(run("encode", CLIP, "-o", stream, "--frames", "5").returncode, 0)
        self.same(self.both(".h264", "transcode", movie, *encoder))
        self.same(self.both(".h264", "demux", movie, "--container", "h264"))
        self.same(self.both(".y4m", "decode", movie, "--format", "y4m"))
        self.same(self.both(".avc", "convert", stream))

    def test_missing_and_double_outputs_are_refused(self):
        for command in ("encode", "transcode", "demux", "decode", "convert"):
            first, second = ("a.y4m", "b.y4m") if command == "decode" else ("a.mp4", "b.mp4")
            with self.subTest(command):
                self.assertRefuses(run(command, CLIP), 64, "no output", "--output", f"nalu {command} --help")
                self.assertRefuses(run(command, CLIP, first, "-o", second), 64, first, second, "leave one out")
                self.assertRefuses(run(command, CLIP, first, second), 64, second)
