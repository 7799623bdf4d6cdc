"""Scripts that build from Debian's sources, if the archive lists a version that it lacks."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import sources  # noqa: E402

# The archive lists three versions. It answers 404 for those in $MISSING, and another error for those in $BROKEN.
APT_GET = """#!/bin/sh
for word; do last=$word; done
case " $* " in
*" indextargets "*) exit 0 ;;
*" update "*) mkdir -p "$LISTS"; : >"$LISTS/Sources"; exit 0 ;;
esac
case " $MISSING " in *" $last "*) : >"tool_half"; echo "E: Failed to fetch $last  404  Not Found" >&2; exit 100 ;; esac
case " $BROKEN " in *" $last "*) echo "E: Connection failed" >&2; exit 100 ;; esac
: >"${last%%=*}_${last#*=}.dsc"
"""
APT_CACHE = """#!/bin/sh
printf 'Package: tool\\nVersion: %s\\n\\n' 1.0-1 1.0-1+deb12u2 1.0-1+deb12u1
"""


class MissingVersions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)
        programs, self.folder = self.cache / "bin", self.cache / "tool"
        for directory in (programs, self.folder):
            directory.mkdir()
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        variables = {"PATH": f"{programs}:{os.environ['PATH']}", "LISTS": str(self.cache / "apt" / "lists"), "MISSING": "", "BROKEN": ""}
        self.enterContext(mock.patch.dict(os.environ, variables))
        self.enterContext(mock.patch.object(sources.time, "sleep"))

    def download(self, older, missing="", broken=""):
        """Returns the names of the downloaded files, and the output."""
        os.environ.update(MISSING=missing, BROKEN=broken)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            sources.download(self.cache, self.folder, "tool", older)
        return [each.name for each in self.folder.iterdir()], output.getvalue()

    def test_the_newest_version_is_taken(self):
        self.assertEqual(self.download(older=True), (["tool_1.0-1+deb12u2.dsc"], ""))

    def test_the_next_version_is_taken_for_tests_and_named(self):
        names, output = self.download(older=True, missing="tool=1.0-1+deb12u2")
        self.assertEqual(names, ["tool_1.0-1+deb12u1.dsc"])
        self.assertEqual(output, "clients: tool 1.0-1+deb12u2 is listed but missing; 1.0-1+deb12u1 is taken in its place\n")

    def test_a_release_fails_without_the_newest_version(self):
        with self.assertRaisesRegex(sources.SourcesCannotBeFetched, r"tool 1.0-1\+deb12u2 is listed but missing .* security fixes"):
            self.download(older=False, missing="tool=1.0-1+deb12u2")

    def test_other_failures_are_reported_at_once(self):
        with self.assertRaisesRegex(sources.SourcesCannotBeFetched, "Connection failed"):
            self.download(older=True, broken="tool=1.0-1+deb12u2")

    def test_an_archive_without_any_version_is_reported(self):
        every = "tool=1.0-1 tool=1.0-1+deb12u1 tool=1.0-1+deb12u2"
        with self.assertRaisesRegex(sources.SourcesCannotBeFetched, "listed in 3 versions, and the archive has none"):
            self.download(older=True, missing=every)


if __name__ == "__main__":
    unittest.main()
