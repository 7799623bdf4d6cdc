"""Runs the command in a terminal: checks its drawings and presses keys."""
import fcntl
import os
import pty
import re
import struct
import termios
import threading
import time

from support import COMMAND, TIME_LIMIT, Started


class Terminal:
    """A command whose standard error is its controlling terminal of `columns`. `stdin` and `stdout` are as given. `prefix` is the
    beginning of a command that starts it elsewhere."""

    def __init__(self, *arguments, columns=100, environment=(), prefix=(), **options):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.master = master
        self.text = ""
        self.is_over = False
        self.changed = threading.Condition()
        self.process = Started(
            [*prefix, COMMAND, *arguments], stderr=slave, prepare=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm-256color", **dict(environment)}, **options)
        os.close(slave)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the last process with the terminal has ended
                data = b""
            with self.changed:
                self.text += data.decode(errors="replace")
                self.is_over = not data
                self.changed.notify_all()
            if not data:
                return

    def wait_for(self, pattern):
        """Waits until the terminal has shown the pattern. The end of the command is the end of the wait."""
        end = time.monotonic() + TIME_LIMIT
        with self.changed:
            while not re.search(pattern, self.text):
                if self.is_over or not self.changed.wait(end - time.monotonic()):
                    raise AssertionError(f"{pattern} is never shown; the terminal has {self.text[-2000:]!r}")

    def press(self, keys):
        os.write(self.master, keys)

    def finish(self):
        """Waits for the end and returns the exit code."""
        code = self.process.wait(TIME_LIMIT)
        self.reader.join(TIME_LIMIT)
        os.close(self.master)
        for stream in (self.process.stdin, self.process.stdout):
            if stream and not stream.closed:
                stream.close()
        return code

    @property
    def drawings(self):
        """Returns each state of the progress line, without colours."""
        plain = re.sub(r"\x1b\[[0-9;]*m", "", self.text)
        return [line for line in re.split(r"\r|\x1b\[K|\n", plain) if line]

    @property
    def remains(self):
        """Returns the lines that remain at the end."""
        lines = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            lines.append(line.rsplit("\r", 1)[-1].replace("\x1b[K", ""))
        return [line for line in lines if line]
