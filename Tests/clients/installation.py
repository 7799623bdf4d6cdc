"""An installed Nalu, as clients use it."""
import hashlib
import shutil
import subprocess


class Installation:
    def __init__(self, build, cache):
        self.prefix = cache / "nalu"
        shutil.rmtree(self.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(self.prefix)], check=True, stdout=subprocess.DEVNULL)
        self.compiler = self.prefix / "bin" / "nalu-vt-cc"
        if not self.compiler.exists():
            raise RuntimeError(f"{build} was configured without NALU_BUILD_VIDEOTOOLBOX: it has no nalu-vt-cc to install")

    @property
    def fingerprint(self):
        """Returns a digest that changes with everything that a configure script can detect."""
        digest = hashlib.sha256()
        for path in sorted([*self.prefix.rglob("*.h"), *(self.prefix / "bin").iterdir(),
                            *(self.prefix / "lib").glob("libVideoToolbox.so.0")]):
            digest.update(path.read_bytes() if path.suffix == ".h" or path.parent.name == "bin" else self.symbols(path))
        return digest.hexdigest()

    @staticmethod
    def symbols(library):
        listing = subprocess.run(["nm", "-D", "--defined-only", "-f", "posix", str(library)], capture_output=True, check=True)
        return b"\n".join(line.split()[0] for line in listing.stdout.splitlines())
