"""nalu in a locale with a decimal comma: it reads and writes the same as in any other locale."""
import os
import subprocess

from media import media
from support import CLIP, TIME_LIMIT, CommandTest, run

X264 = "x264.params=qcomp=0.75:psy-rd=0.5,0.2:threads=1"


class Locale(CommandTest):
    def comma(self):
        """Returns the environment of the German locale: the machine's, or one that localedef makes with the package
        `locales`."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
        environment["LC_ALL"] = "de_DE.UTF-8"
        if self.point(environment) != ",":
            directory = self.directory / "locales"
            directory.mkdir()
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", directory / "de_DE.UTF-8"], check=True,
                           capture_output=True, timeout=TIME_LIMIT)
            environment["LOCPATH"] = str(directory)
        self.assertEqual(self.point(environment), ",")
        return environment

    @staticmethod
    def point(environment):
        return subprocess.run(["locale", "decimal_point"], env=environment, capture_output=True, text=True,
                              timeout=TIME_LIMIT).stdout.strip()

    def results(self, name, environment):
        """Returns the command's output and the files that it writes, by name."""
        directory = self.directory / name
        directory.mkdir()
        video = {kind: os.path.relpath(media(kind), directory) for kind in ("mkv", "audio", "ts")}
        printed = []

        def nalu(*arguments):
            result = run(*arguments, cwd=directory, env=environment)
            self.assertSucceeds(result)
            printed.append(result.stdout)

        encode = ("encode", CLIP, "--quiet", "--frames", 20, "--fps", "29.97", "-p", X264)
        for extension in ("mp4", "mkv", "ts", "flv", "h264"):
            nalu(*encode, "-p", "Quality=0.55", "-o", f"encoded.{extension}")
        nalu(*encode, "--bit-rate", "0.25M", "-o", "rate.mkv")
        nalu("transcode", video["mkv"], "transcoded.mkv", "--quiet", "--frames", 20, "-p", X264)
        nalu("demux", video["audio"], "copied.mkv", "--quiet")
        nalu("demux", video["ts"], "copied.mp4", "--quiet")
        nalu("demux", video["mkv"], "copied.flv", "--quiet")
        nalu("decode", video["mkv"], "decoded.y4m", "--quiet", "--frames", 10)
        nalu("decode", video["mkv"], "sheet.png", "--quiet", "--sheet", "2x2")
        nalu("inspect", video["audio"])
        nalu("inspect", video["mkv"], "--json")
        nalu("inspect", "encoded.h264", "--fps", "29.97", "--frames", "--parameter-sets", "--html", "page.html")
        nalu("properties", "Quality")
        return printed, {path.name: path.read_bytes() for path in sorted(directory.iterdir())}

    def test_results_do_not_depend_on_the_locale(self):
        plain, files = self.results("plain", {**os.environ, "LC_ALL": "C"})
        comma, others = self.results("comma", self.comma())
        self.assertEqual(comma, plain)
        self.assertEqual(list(others), list(files))
        for name, content in files.items():
            self.assertTrue(others[name] == content, f"{name} differs")

    def test_a_decimal_comma_is_refused_in_every_locale(self):
        for environment in ({**os.environ, "LC_ALL": "C"}, self.comma()):
            self.assertRefuses(run("encode", CLIP, "-o", self.output, "-p", "Quality=0,55", env=environment), 64, "Quality")
            self.assertRefuses(run("encode", CLIP, "-o", self.output, "--fps", "29,97", env=environment), 64, "29,97")
