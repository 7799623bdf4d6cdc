"""The directory of finished chunks, with which an interrupted run can be resumed."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Optional, Union

from ..errors import InputOutputError, InvalidValueError
from ._plan import Chunk
from ._settings import version
from ._stages import EncodedChunk, FirstPass

_VERSION = 5
#: The kinds of first passes: of all chunks, and of chunks whose first pass is repeated once and twice.
FIRST_PASSES = ("first", "first2", "first3")
#: The kinds of second passes: of all chunks, and of chunks at a seam that exceeded ``DataRateLimits``.
SECOND_PASSES = ("second", "second2")
_KINDS = {**dict.fromkeys(FIRST_PASSES, FirstPass), **dict.fromkeys(SECOND_PASSES, EncodedChunk)}
#: The file that identifies the run of a directory.
_PLAN = "plan.json"

Result = Union[FirstPass, EncodedChunk]


class WorkDirectory:
    """Results as files, each with a line of JSON, which has a version and a checksum, and the data after it.

    A file is complete or does not exist, because it is first written under another name. A corrupt file counts as missing.
    """

    def __init__(self, path: str, chunks: Sequence[Chunk], options: Any, *, resume: bool) -> None:
        self.path = os.path.abspath(path)
        fingerprint = _fingerprint(chunks, options)
        plan = os.path.join(self.path, _PLAN)
        existed = os.path.exists(plan)
        if existed and not resume:
            raise InvalidValueError(
                f"{self.path} has chunks of a run that was not finished; resume it (resume=True, --resume), or remove the directory"
            )
        if not existed and os.path.isdir(self.path) and os.listdir(self.path):
            raise InvalidValueError(f"{self.path} is not empty, and has no finished chunks; name a new directory (work=, --work)")
        try:
            os.makedirs(self.path, exist_ok=True)
        except FileExistsError:
            raise InvalidValueError(f"{self.path} is not a directory; name a new directory for the finished chunks (work=, --work)") from None
        except OSError as error:
            raise _unusable(self.path, "created", error) from error
        self._lock = os.open(self.path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InvalidValueError(f"{self.path} is in use by another run") from None
            except OSError as error:
                raise _unusable(self.path, "locked", error) from error
            if existed:
                _check(plan, self.path, fingerprint)
            else:
                _write(plan, json.dumps({"version": _VERSION, "fingerprint": fingerprint, "chunks": len(chunks)}).encode() + b"\n")
        except BaseException:
            os.close(self._lock)
            raise

    def keep(self, kind: str, result: Result) -> None:
        """Writes a result."""
        facts = {
            name: f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value
            for name, value in vars(result).items()
            if name != "data"
        }
        header = {"version": _VERSION, "kind": kind, "facts": facts, "sha256": _checksum(kind, facts, result.data)}
        _write(self._name(kind, result.number), json.dumps(header).encode() + b"\n" + result.data)

    def load(self, kind: str, number: int) -> Optional[Any]:
        """Returns a result; None if it is missing or corrupt."""
        try:
            with open(self._name(kind, number), "rb") as file:
                header = json.loads(file.readline())
                data = file.read()
            facts = header["facts"]
            found = header["version"], header["kind"], facts["number"], header["sha256"]
            if found != (_VERSION, kind, number, _checksum(kind, facts, data)):
                return None
            facts["duration"] = Fraction(facts["duration"])
            return _KINDS[kind](data=data, **facts)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def results(self, kinds: Sequence[str]) -> "Iterator[Any]":
        """Yields the results of all chunks. ``kinds`` has the kind for each chunk."""
        for number, kind in enumerate(kinds):
            yield self.result(kind, number)

    def result(self, kind: str, number: int) -> Any:
        result = self.load(kind, number)
        if result is None:
            raise InvalidValueError(f"{self._name(kind, number)} is corrupt or missing; run encode again with resume=True")
        return result

    @property
    def is_empty(self) -> bool:
        """Whether no chunk is finished."""
        return not any(name.endswith(tuple(f".{kind}" for kind in _KINDS)) for name in os.listdir(self.path))

    def close(self, *, remove: bool) -> None:
        if remove:
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)

    def _name(self, kind: str, number: int) -> str:
        return os.path.join(self.path, f"{number:05}.{kind}")


def _unusable(path: str, what: str, error: OSError) -> InputOutputError:
    return InputOutputError(
        f"the directory of finished chunks, {path}, cannot be {what}: {error.strerror}; name another one (work=, --work)"
    )


def _checksum(kind: str, facts: "dict[str, Any]", data: bytes) -> str:
    """Returns the checksum of a file's content."""
    checksum = hashlib.sha256(json.dumps([_VERSION, kind, facts]).encode())
    checksum.update(data)
    return checksum.hexdigest()


def _fingerprint(chunks: Sequence[Chunk], options: Any) -> str:
    """Returns a hash of everything that the results depend on."""
    first = chunks[0]
    what = [
        _VERSION,
        version(),
        first.source.identity(),
        repr(first.settings),
        [(repr(chunk.begin), repr(chunk.end)) for chunk in chunks],
        options,
    ]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _check(plan: str, directory: str, fingerprint: str) -> None:
    try:
        with open(plan, "rb") as file:
            found = json.loads(file.read())
        same = found["version"] == _VERSION and found["fingerprint"] == fingerprint
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise InvalidValueError(
            f"{directory} has chunks of another video, other settings or another version of Nalu; remove the directory, or name another "
            "one (work=, --work)"
        )


def _write(path: str, data: bytes) -> None:
    unfinished = path + ".unfinished"
    try:
        with open(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(unfinished)
        raise
