"""Build settings that pyproject.toml cannot express: the version, and the platform tag of a wheel that contains the library."""

import re
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def version():
    """Returns the version in the C header."""
    header = Path(__file__).resolve().parents[2] / "include/nalu/base.h"
    parts = dict(re.findall(r"#define NALU_VERSION_(MAJOR|MINOR|PATCH) (\d+)", header.read_text()))
    return "{MAJOR}.{MINOR}.{PATCH}".format(**parts)


class PlatformHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if (Path(self.root) / "nalu/_lib").is_dir():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
