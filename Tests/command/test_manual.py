"""The manual pages and completions that scripts/generate_manual writes."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import COMMAND, TIME_LIMIT, CommandTest, run

SCRIPT = pathlib.Path(__file__).absolute().parents[2] / "scripts" / "generate_manual"


class Manual(CommandTest):
    def setUp(self):
        super().setUp()
        subprocess.run([SCRIPT, COMMAND, self.directory], check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT)
        self.command = json.loads(run("--experimental-dump-help").stdout)["command"]
        self.subcommands = [entry for entry in self.command["subcommands"] if entry["commandName"] != "help"]

    def test_the_manual_describes_every_argument(self):
        for subcommand in self.subcommands:
            page = (self.directory / "man" / "man1" / f"nalu-{subcommand['commandName']}.1").read_text().replace("\\", "")
            for argument in subcommand["arguments"]:
                for name in argument.get("names", []):
                    dash = "-" if name["kind"] == "long" else ""
                    self.assertIn(f"Fl {dash}{name['name']}", page)
                self.assertIn(argument["abstract"].split(". ")[0].split("\n")[0][-20:].replace("\\", ""), page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not here")
    def test_mandoc_accepts_every_page(self):
        pages = sorted((self.directory / "man" / "man1").glob("*.1"))
        self.assertEqual(len(pages), 1 + len(self.subcommands))
        for page in pages:
            with self.subTest(page=page.name):
                result = subprocess.run(["groff", "-mdoc", "-Tascii", "-ww", page], capture_output=True, text=True,
                                        timeout=TIME_LIMIT)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                plain = re.sub(r".\x08|\x1b\[[0-9;]*m", "", result.stdout)
                for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"):
                    self.assertIn(f"\n{heading}\n", plain)
                if page.name != "nalu-encoders.1":
                    self.assertIn("\nEXAMPLES\n", plain)
                    self.assertNotIn("Examples:", plain)

    def completed(self, *line):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; ' \
            '_nalu nalu "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
        file = self.directory / "bash-completion" / "completions" / "nalu"
        result = subprocess.run(["bash", "-c", script, "bash", file, *line], capture_output=True, text=True, check=True,
                                timeout=TIME_LIMIT, env={**os.environ, "SAP_SHELL": "bash"})
        return {word.strip() for word in result.stdout.splitlines()}

    def test_bash_completes_subcommands_options_and_values(self):
        self.assertLessEqual({"encode", "properties", "encoders"}, self.completed("nalu", ""))
        self.assertEqual(self.completed("nalu", "encode", "--pre"), {"--preset"})
        self.assertLessEqual({"ultrafast", "HighSpeed"}, self.completed("nalu", "encode", "--preset", ""))
        self.assertIn("AverageBitRate=", self.completed("nalu", "encode", "-p", "Av"))
        self.assertLessEqual({"nv12", "bgra"}, self.completed("nalu", "encode", "--format", ""))

    def test_each_shell_accepts_its_completions(self):
        for place in ("bash-completion/completions/nalu", "zsh/site-functions/_nalu", "fish/vendor_completions.d/nalu.fish"):
            content = (self.directory / place).read_text()
            self.assertIn("bit-rate", content)
            self.assertFalse(content.startswith("#!"), place)
