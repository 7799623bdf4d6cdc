"""FFmpeg's libraries, which the command loads for containers and decoding alone."""
import os
import re
import shutil

from media import media
from support import CLIP, COMMAND, CommandTest, run


class Loading(CommandTest):
    def setUp(self):
        super().setUp()
        # The ELF note names the libraries that are loaded.
        with open(shutil.which(COMMAND) or COMMAND, "rb") as file:
            note = re.search(rb'FDO\0\[\{"feature":"media".*?\}\]', file.read())
        self.assertIsNotNone(note)
        self.names = re.findall(r"libav\w+\.so\.\d+", note[0].decode())

    def without(self, name):
        """An environment in which a library cannot be loaded."""
        (self.directory / name).touch()
        return {**os.environ, "LD_LIBRARY_PATH": str(self.directory)}

    def test_encoding_a_stream_needs_no_ffmpeg(self):
        environment = self.without(self.names[0])
        output = self.directory / "clip.h264"
        self.assertSucceeds(run("encode", CLIP, output, env=environment))
        self.assertGreater(output.stat().st_size, 0)

    def test_every_missing_ffmpeg_library_is_named_with_its_package(self):
        for name in self.names:
            environment = self.without(name)
            package = name.replace(".so.", "")
            for arguments in (["encode", CLIP, self.directory / "clip.mp4"], ["inspect", media("mp4")],
                              ["decode", media("mp4"), self.directory / "clip.y4m"],
                              ["transcode", media("mp4"), self.directory / "clip.mkv"],
                              ["demux", media("mp4"), self.directory / "clip.h264"],
                              ["cut", media("mp4"), self.directory / "part.mp4", "--end", "1"]):
                with self.subTest(name=name, arguments=arguments):
                    result = run(*arguments, env=environment)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertRegex(result.stderr.decode(), rf"{name} cannot be loaded \(.*\): install {package}, or ")
                    self.assertEqual([path.name for path in self.directory.iterdir()], [name])
            (self.directory / name).unlink()
