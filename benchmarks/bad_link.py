"""A link in network namespaces that loses packets and changes its rate, and what watches it. Needs root and nftables."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from typing import Any


class Network:
    """Namespaces: the sender, a router with the slow link, the browser."""

    def __init__(self) -> None:
        self.sender, self.router, self.browser = (f"nalu{os.getpid()}{name}" for name in "srb")

    def __enter__(self) -> "Network":
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self) -> None:
        for name in (self.sender, self.router, self.browser):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        for near, far, here, there, number in ((self.sender, self.router, "link0", "link1", 1), (self.browser, self.router, "link3", "link2", 2)):
            run("ip", "link", "add", here, "netns", near, "type", "veth", "peer", "name", there, "netns", far)
            for name, link, host in ((near, here, 1), (far, there, 2)):
                run("ip", "-n", name, "addr", "add", f"10.77.{number}.{host}/24", "dev", link)
                run("ip", "-n", name, "link", "set", link, "up")
            run("ip", "-n", near, "route", "add", "default", "via", f"10.77.{number}.2")
            rules = f'table inet l {{ chain i {{ type filter hook input priority 0; iifname "{here}" ip protocol udp numgen random mod 100 < 5 drop; }}; }}'
            run("ip", "netns", "exec", near, "nft", rules)
        run("ip", "netns", "exec", self.router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        run(*shaping(self.router, "add", 5_000))

    def __exit__(self, *_: Any) -> None:
        for name in (self.sender, self.router, self.browser):
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)


def shaping(router: str, verb: str, kilobits: int) -> "list[str]":
    return ["ip", "netns", "exec", router, "tc", "qdisc", verb, "dev", "link2", "root", "tbf", "rate", f"{kilobits}kbit", "burst", "4kb", "latency", "200ms"]


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


def listener(namespace: str) -> socket.socket:
    """Returns a socket that listens on localhost in another namespace, so that the page needs no packet of the slow link."""
    made: "list[socket.socket]" = []

    def enter() -> None:
        with open(f"/run/netns/{namespace}") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0x40000000):
                raise OSError(ctypes.get_errno(), "setns")
        made.append(socket.create_server(("127.0.0.1", 0)))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return made[0]


class Wire:
    """The UDP packets that leave the sender: time on the monotonic clock, and bytes with the IP header."""

    def __init__(self) -> None:
        self.packets: "list[tuple[float, int]]" = []
        self._offset = time.monotonic() - time.time()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self._socket.bind(("link0", 3))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._socket.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            data, notes, _, address = self._socket.recvmsg(64, 64)
            if address[1] == 0x0800 and address[2] == 4 and data[9] == 17:
                seconds, nanoseconds = struct.unpack("qq", notes[0][2])
                self.packets.append((seconds + nanoseconds / 1e9 + self._offset, struct.unpack_from("!H", data, 2)[0]))


class Stalls:
    """The longest time that a program which only sleeps did not run: how busy the machine is."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._over = False
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Stalls":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over = True
        self._thread.join()

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._over:
            time.sleep(0.005)
            now = time.monotonic()
            self.longest = max(self.longest, now - before - 0.005)
            before = now
