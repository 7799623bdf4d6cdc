"""The settings that a sender gives to a compression session, and its counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: DataRateLimits and AverageBitRate relative to the rate on the wire. The average leaves room for headers and for packets that are
#: sent again.
_LIMIT, _AVERAGE = 1.08, 0.8
#: The short window of DataRateLimits in seconds, and its bytes relative to its share of the rate. The window keeps one frame from
#: delaying the next ones for long.
_SHORT, _SHORT_LIMIT = 0.1, 1.3


@dataclass(frozen=True)
class FrameRequest:
    """The settings of the next frame, for a compression session with ``EnableLTR``."""

    #: ``acknowledged`` of ``encode``.
    acknowledged: "list[int]"
    #: ``force_ltr_refresh`` of ``encode``.
    force_ltr_refresh: bool
    #: ``force_key_frame`` of ``encode``.
    force_key_frame: bool
    #: The properties that have changed since the last frame: ``AverageBitRate`` and ``DataRateLimits``, or none.
    properties: "dict[str, Any]"


@dataclass
class SenderStatistics:
    """Counts since the start."""

    frames: int = 0
    key_frames: int = 0
    refreshes: int = 0
    #: Pictures skipped because packets were waiting.
    skipped: int = 0
    #: Pictures skipped because too many frames were without an acknowledgement.
    paused: int = 0
    packets: int = 0
    #: Bytes on the wire.
    sent_bytes: int = 0
    #: Packets sent again.
    resent: int = 0
    #: Packets without content that ask for a report.
    probes: int = 0
    lost: int = 0
    unknown: int = 0
    nacks: int = 0
    picture_requests: int = 0
    reports: int = 0
    #: RTCP packets that could not be read.
    malformed: int = 0
    #: Frames dropped before all their packets had left.
    dropped: int = 0
    #: The most packets that have waited at once.
    most_waiting: int = 0
    #: Times at which the path became congested.
    congested: "list[float]" = field(default_factory=list)


def session_properties(rate: float) -> "dict[str, Any]":
    """Returns the properties of a compression session whose samples a :class:`Sender` sends, for the first rate in bits per second."""
    return {
        "EnableLTR": True,
        "ReferenceBufferCount": 16,
        "MaxKeyFrameInterval": 0,
        "ProfileLevel": "H264_Main_AutoLevel",
        # Weighted prediction makes FFmpeg's and OpenH264's decoders slower, and needs references that a receiver may lack.
        "x264.params": "weightp=0",
        **rates(rate),
    }


def rates(rate: float) -> "dict[str, Any]":
    """Returns ``AverageBitRate`` and ``DataRateLimits`` for a rate on the wire in bits per second."""
    return {
        "AverageBitRate": int(rate * _AVERAGE),
        "DataRateLimits": [
            max(rate * _LIMIT / 8, 1_000.0),
            1.0,
            max(rate * _SHORT * _SHORT_LIMIT / 8, 1_000.0),
            _SHORT,
        ],
    }
