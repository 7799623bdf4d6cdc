"""What the build of the package cannot say in pyproject.toml: the version, and that a wheel with the library in it is for
one platform."""

import re
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def version():
    """The version where it is written: the C header."""
    header = Path(__file__).resolve().parents[2] / "include/nalu/base.h"
    parts = dict(re.findall(r"#define NALU_VERSION_(MAJOR|MINOR|PATCH) (\d+)", header.read_text()))
    return "{MAJOR}.{MINOR}.{PATCH}".format(**parts)


class PlatformHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if (Path(self.root) / "nalu/_lib").is_dir():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
