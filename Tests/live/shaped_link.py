"""A link between two network namespaces, whose rate can change. Needs root."""
import os
import subprocess

SENDER, RECEIVER = "10.78.0.1", "10.78.0.2"
"""The addresses at the two ends."""


def _run(*command):
    subprocess.run([str(part) for part in command], check=True, timeout=60)


class ShapedLink:
    """Two network namespaces with a link between them, whose rate in kb/s `tc tbf` limits in the direction to the receiver."""

    def __init__(self, rate):
        self.rate = rate
        self.sender, self.receiver = f"nalu{os.getpid()}a", f"nalu{os.getpid()}b"

    def __enter__(self):
        try:
            for name in (self.sender, self.receiver):
                _run("ip", "netns", "add", name)
            _run("ip", "-n", self.sender, "link", "add", "link0", "type", "veth", "peer", "name", "link1", "netns", self.receiver)
            for name, device, address in ((self.sender, "link0", SENDER), (self.receiver, "link1", RECEIVER)):
                _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", device)
                _run("ip", "-n", name, "link", "set", "lo", "up")
                _run("ip", "-n", name, "link", "set", device, "up")
            self._shape("add", self.rate)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _shape(self, verb, rate):
        # The burst has room for the large packets that TCP hands to the device.
        _run(*self.inside(self.sender), "tc", "qdisc", verb, "dev", "link0", "root", "tbf", "rate", f"{rate}kbit", "burst", "16kb",
             "latency", "100ms")

    def change(self, rate):
        self._shape("change", rate)

    @staticmethod
    def inside(name):
        """Returns the beginning of a command that runs in a namespace."""
        return ["ip", "netns", "exec", name]

    def __exit__(self, *_):
        for name in (self.sender, self.receiver):
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, timeout=60)
