"""Runs the examples of docs/command.md and the README exactly as they are written."""
import os
import pathlib
import re
import shutil
import subprocess

from support import CLIP, COMMAND, FRAMES, TIME_LIMIT, CommandTest, probe

ROOT = pathlib.Path(__file__).absolute().parents[2]
DOCUMENTS = [ROOT / "docs" / "command.md", ROOT / "README.md"]


class Document(CommandTest):
    def test_examples(self):
        examples = [example for document in DOCUMENTS
                    for example in re.findall(r"^```sh\n(.*?)^```", document.read_text(), re.M | re.S)]
        self.assertGreater(len(examples), 3)
        for example in examples:
            with self.subTest(example=example):
                directory = self.directory / "example"
                directory.mkdir()
                shutil.copy(CLIP, directory / "clip.y4m")
                path = f"{pathlib.Path(COMMAND).parent}:{os.environ['PATH']}"
                result = subprocess.run(["bash", "-euo", "pipefail", "-c", example], cwd=directory, capture_output=True,
                                        stdin=subprocess.DEVNULL, timeout=TIME_LIMIT, env={**os.environ, "PATH": path})
                self.assertSucceeds(result)
                for stream in directory.glob("*.h264"):
                    self.assertEqual(probe(stream)["frames"], FRAMES)
                shutil.rmtree(directory)
