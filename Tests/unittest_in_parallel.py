"""Runs the unit tests of the current directory class by class, in one process more than there are processors, because
tests of programs sometimes wait. A test that exceeds the time limit ends its process with a traceback, and fails the
run.

usage: unittest_in_parallel.py [--processes N] [TEST...]
TEST: as unittest names them, test_encode or test_encode.Formats
"""
import argparse
import faulthandler
import os
import shutil
import sys
import tempfile
import time
import unittest

TEST_LIMIT = 1200
"""The time limit of a test in seconds: far more than any test needs on a busy machine, and more than the limits of the
programs that it starts."""


def limit():
    """Starts the time limit, which ends at the next call."""
    faulthandler.dump_traceback_later(TEST_LIMIT, exit=True)


def classes(suite):
    """Returns the tests of each class, as suites."""
    found = {}
    waiting = [suite]
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, unittest.TestSuite):
            waiting += entry
        else:
            found.setdefault(type(entry), []).append(entry)
    return [unittest.TestSuite(tests) for tests in found.values()]


class Queue(unittest.TestSuite):
    """Reads the number of the next suite from a pipe that all processes share."""

    def __init__(self, suites, pipe):
        super().__init__()
        self.suites, self.pipe = suites, pipe

    def __iter__(self):
        while number := os.read(self.pipe, 2):
            limit()
            yield self.suites[int.from_bytes(number, "little")]

    def _removeTestAtIndex(self, index):
        pass


class LimitedResult(unittest.TextTestResult):
    """Prints a failure at once, because a test that hangs ends the process."""

    def tell(self, kind, failures):
        self.stream.writeln()
        self.printErrorList(kind, failures[-1:])
        self.stream.flush()

    def addError(self, test, err):
        super().addError(test, err)
        self.tell("ERROR", self.errors)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell("FAIL", self.failures)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            is_failure = issubclass(err[0], test.failureException)
            self.tell(*(("FAIL", self.failures) if is_failure else ("ERROR", self.errors)))

    def printErrors(self):
        self.stream.writeln()

    def startTest(self, test):
        limit()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        limit()


def work(suites, pipe, log, report):
    """Runs suites in a child process. Reports the number of tests if all succeeded."""
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    faulthandler.enable()
    result = unittest.TextTestRunner(resultclass=LimitedResult).run(Queue(suites, pipe))
    faulthandler.cancel_dump_traceback_later()
    if result.wasSuccessful():
        os.write(report, result.testsRun.to_bytes(8, "little"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, os.getcwd())
    loader = unittest.defaultTestLoader
    found = loader.loadTestsFromNames(options.tests) if options.tests else loader.discover(".")
    # The long suites come first, so that no process waits for the last of them. The number of tests is a measure of the
    # length.
    suites = sorted(classes(found), key=unittest.TestSuite.countTestCases, reverse=True)
    wanted = found.countTestCases()
    start = time.monotonic()
    pipe, entry = os.pipe()
    reports, report = os.pipe()
    os.write(entry, b"".join(number.to_bytes(2, "little") for number in range(len(suites))))
    os.close(entry)

    # This directory contains the files that tests share.
    shared = os.environ["NALU_TEST_FILES"] = tempfile.mkdtemp(prefix="nalu-tests-")
    logs = {}
    for _ in range(min(options.processes, len(suites))):
        log = tempfile.TemporaryFile()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            work(suites, pipe, log, report)
            sys.exit(0)
        logs[child] = log
    os.close(pipe)
    os.close(report)

    is_good = bool(wanted)
    while logs:
        child, status = os.wait()
        log = logs.pop(child, None)
        if log is None:
            # A child process of the shell that exec turned into this program.
            continue
        log.seek(0)
        sys.stdout.buffer.write(log.read())
        sys.stdout.flush()
        if status:
            is_good = False
            print(f"*** a process of tests ended with {os.waitstatus_to_exitcode(status)}")
    shutil.rmtree(shared, ignore_errors=True)
    ran = 0
    while count := os.read(reports, 8):
        ran += int.from_bytes(count, "little")
    is_good = is_good and ran == wanted
    print(f"{wanted} tests in {time.monotonic() - start:.0f} s: " + ("all passed" if is_good else "FAILED"))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
