"""Frame functions for workers, in a module that the workers can import."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

#: The size and number of frames, and the first frame of the second scene; the frames at the end do not move.
WIDTH, HEIGHT, COUNT, CHANGE = 160, 96, 100, 37
_TEXTURE = np.random.default_rng(1).integers(-40, 40, (HEIGHT, WIDTH))


def frame(index: int) -> np.ndarray:
    """Returns a grey picture. The pictures move, change at CHANGE, and stand still at the end."""
    shift = min(index, 60) * (1 if index < CHANGE else 3)
    texture = np.roll(_TEXTURE if index < CHANGE else _TEXTURE[::-1], (shift, -shift), (0, 1))
    x, y = np.arange(WIDTH)[None, :] + shift, np.arange(HEIGHT)[:, None]
    scene = np.sin(x / 7) * np.cos(y / 11) if index < CHANGE else np.cos(x / 23 + y / 5)
    return ((90 if index < CHANGE else 165) + 40 * scene + texture).round().astype(np.uint8)


_PAGE = np.where(np.random.default_rng(2).random((600, WIDTH // 2)) < 0.4, 30, 235).astype(np.uint8).repeat(2, 0).repeat(2, 1)


def page(index: int) -> np.ndarray:
    """Returns a page of text, as it were, that stands still most of the time and scrolls in the third second."""
    line = 2 * min(max(index - 50, 0), 25)
    return _PAGE[line : line + HEIGHT]


def noise(index: int) -> np.ndarray:
    """Returns a grey picture of 3840x2160 that takes more than 1000 bytes at any QP, because no two blocks are alike."""
    return np.random.default_rng(index).integers(0, 256, (270, 480), np.uint8).repeat(8, 0).repeat(8, 1)


def still_but_noisy(index: int) -> np.ndarray:
    """Returns a still grey picture, and noise in the third second."""
    if 50 <= index < 75:
        return np.random.default_rng(index).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    return np.full((HEIGHT, WIDTH), 90, np.uint8)


def moving_but_noisy(index: int) -> np.ndarray:
    """Returns a moving picture, and noise in the third second."""
    return still_but_noisy(index) if 50 <= index < 75 else frame(index % 25)


def noisy_at_seams(index: int) -> np.ndarray:
    """Returns a moving picture, and noise for 11 frames before and after each seam of chunks of two seconds."""
    if 11 <= index % 50 < 39:
        return frame(index % 50)
    return np.random.default_rng(index).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)


class Trouble:
    """The same frames with a failure before one of them. The file ``marker`` records that the failure has happened, so that it
    happens once."""

    def __init__(self, marker, index: int, kind: str, seconds: float = 0.0) -> None:
        self.marker, self.index, self.kind, self.seconds = str(marker), index, kind, seconds

    def __call__(self, index: int) -> np.ndarray:
        if index == self.index and self._is_first():
            if self.kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.kind == "raise":
                raise OSError(28, "No space left on device")
            time.sleep(self.seconds)
        if self.kind == "always" and index == self.index:
            raise RuntimeError("no such frame")
        return frame(index)

    def _is_first(self) -> bool:
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True


class Slow:
    """The same frames, ten times as slow in one process: the first worker, whose process id the file ``marker`` contains."""

    def __init__(self, marker, seconds: float) -> None:
        self.marker, self.seconds = str(marker), seconds

    def __call__(self, index: int) -> np.ndarray:
        if index == 0:
            # The planning process also reads the first frame.
            return frame(index)
        try:
            with open(self.marker, "x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            pass
        with open(self.marker) as file:
            is_slow = file.read() == str(os.getpid())
        time.sleep(self.seconds * (10 if is_slow else 1))
        return frame(index)
