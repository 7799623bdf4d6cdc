"""Runs programs with a time limit and collects their output."""
import json
import os
import signal
import subprocess
import threading


class TooSlow(Exception):
    """A program was killed at the time limit."""


class Result:
    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors.decode("utf-8", "replace")

    @property
    def is_crash(self):
        """True if a signal ended the program, or if the exit code is a shell's number for one. 129, 130 and 143 are
        exit codes of nalu."""
        return self.code < 0 or self.code in (132, 134, 135, 136, 137, 139)

    @property
    def sentence(self):
        lines = [line for line in self.errors.splitlines() if line.strip()]
        return lines[-1].strip()[:240] if lines else "nothing on standard error"


def run(arguments, limit, take=None, env=None):
    """Runs a program to its end. take: a function that reads its standard output from a file; otherwise the output is
    kept."""
    arguments = [str(argument) for argument in arguments]
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, env={**os.environ, **(env or {})})
    expired = threading.Event()

    def end():
        expired.set()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    timer = threading.Timer(limit, end)
    timer.daemon = True
    timer.start()
    errors = []
    listener = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)
    listener.start()
    try:
        output = take(process.stdout) if take else process.stdout.read()
        process.stdout.close()
        code = process.wait()
        listener.join()
    finally:
        timer.cancel()
        if process.poll() is None:
            end()
            process.wait()
        process.stderr.close()
    if expired.is_set():
        raise TooSlow(f"{os.path.basename(arguments[0])} {' '.join(arguments[1:2])} has not ended after {limit:g} s")
    return Result(code, output, errors[0] if errors else b"")


def answer(arguments, limit):
    """Returns the JSON that a program prints; None if it prints none."""
    result = run(arguments, limit)
    try:
        return json.loads(result.output) if result.code == 0 else None
    except ValueError:
        return None
