"""A WebSocket client made of plain sockets, which can also break the rules."""
import base64
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import time

from support import TIME_LIMIT, start

KEY, REFRESH = 1, 2


class Server:
    """A running `nalu serve`. Its first line is the page's address."""

    def __init__(self, *arguments, env=None):
        self.process = start("serve", *arguments, "--port", 0, "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env=env)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.stderr.read())
        self.port = int(self.address.split(":")[2].split("/")[0])

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def interrupt(self):
        """Ends the server with Ctrl-C. Returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()

    def memory(self):
        """Returns the memory of the server in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024

    def connect(self, receive_buffer=None):
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(TIME_LIMIT)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def request(self, bytes_or_target, *headers, host=None, method="GET"):
        """Sends a request. Returns the status, the headers and the body; None without an answer."""
        if isinstance(bytes_or_target, str):
            lines = [f"{method} {bytes_or_target} HTTP/1.1", f"Host: {host or f'localhost:{self.port}'}", *headers]
            bytes_or_target = "".join(line + "\r\n" for line in [*lines, ""]).encode()
        with self.connect() as connection:
            answer = b""
            with contextlib.suppress(ConnectionError):
                connection.sendall(bytes_or_target)
            with contextlib.suppress(ConnectionError):
                while more := connection.recv(65536):
                    answer += more
        if not answer:
            return None
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body

    def status(self, *arguments, **options):
        answer = self.request(*arguments, **options)
        return answer and answer[0]

    def watch(self, **options):
        return Viewer(self, **options)


class Refused(Exception):
    """The server has answered the handshake with another status; the argument is the status."""


class Viewer:
    """A viewer that reads frames when it is told to."""

    def __init__(self, server, target="/live", origin=None, host=None, receive_buffer=None, upgrade=True):
        host = host or f"localhost:{server.port}"
        self.connection = server.connect(receive_buffer)
        self.received = b""
        lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
        if upgrade:
            lines.append("Upgrade: websocket")
        if origin != "":
            lines.append(f"Origin: {origin or 'http://' + host}")
        self.connection.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode())
        while b"\r\n\r\n" not in self.received:
            more = self.connection.recv(65536)
            if not more:
                raise Refused(None)
            self.received += more
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        if status != 101:
            self.connection.close()
            raise Refused(status)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.connection.close()

    def _take(self, count):
        while len(self.received) < count:
            more = self.connection.recv(65536)
            if not more:
                raise EOFError
            self.received += more
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def frame(self):
        """Returns the opcode and the payload of the next frame."""
        first, second = self._take(2)
        assert first & 0x70 == 0 and first & 0x80 and not second & 0x80, (first, second)
        length = second & 0x7F
        if length == 126:
            length, = struct.unpack("!H", self._take(2))
        elif length == 127:
            length, = struct.unpack("!Q", self._take(8))
        return first & 15, self._take(length)

    def message(self, kind=None):
        """Returns the next text message (of a kind) as a dictionary, or the next sample as a Sample."""
        while True:
            opcode, payload = self.frame()
            if opcode == 8:
                raise Closed(struct.unpack("!H", payload[:2])[0], payload[2:].decode())
            found = json.loads(payload) if opcode == 1 else Sample(payload) if opcode == 2 else None
            if found is None or kind and (isinstance(found, Sample) or found["type"] != kind):
                continue
            return found

    def sample(self):
        while not isinstance(found := self.message(), Sample):
            pass
        return found

    def samples(self, seconds):
        """Returns the samples of a time."""
        end, found = time.monotonic() + seconds, []
        while time.monotonic() < end:
            found.append(self.sample())
        return found

    def send(self, **message):
        self.send_frame(1, json.dumps(message).encode())

    def send_frame(self, opcode, payload, final=True, mask=True):
        head = bytes([opcode | (0x80 if final else 0)])
        marked = 0x80 if mask else 0
        if len(payload) < 126:
            head += bytes([marked | len(payload)])
        elif len(payload) < 65536:
            head += bytes([marked | 126]) + struct.pack("!H", len(payload))
        else:
            head += bytes([marked | 127]) + struct.pack("!Q", len(payload))
        if mask:
            key = os.urandom(4)
            head += key
            payload = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))
        self.connection.sendall(head + payload)

    def end(self):
        """Reads until the server ends the connection. Returns the code of the close frame; None without one."""
        try:
            while True:
                self.message()
        except Closed as closed:
            return closed.code
        except (EOFError, ConnectionError):
            return None


class Closed(Exception):
    def __init__(self, code, reason):
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Sample:
    """One sample in the form that docs/live.md describes."""

    def __init__(self, payload):
        kind, self.flags, header, self.number, self.captured, self.sent = struct.unpack("!BBHIQQ", payload[:24])
        assert kind == 1 and header == 24, payload[:24]
        self.data = payload[header:]

    is_key = property(lambda self: bool(self.flags & KEY))

    @property
    def annex_b(self):
        data, units = self.data, b""
        while data:
            size, = struct.unpack("!I", data[:4])
            units, data = units + b"\0\0\0\1" + data[4:4 + size], data[4 + size:]
        return units


def parameter_sets(stream):
    """Returns the parameter sets of a message "stream" in Annex B."""
    record = base64.b64decode(stream["description"])
    place, units = 5, b""
    for mask in (0x1F, 0xFF):
        count, place = record[place] & mask, place + 1
        for _ in range(count):
            size, = struct.unpack("!H", record[place:place + 2])
            units += b"\0\0\0\1" + record[place + 2:place + 2 + size]
            place += 2 + size
    return units
