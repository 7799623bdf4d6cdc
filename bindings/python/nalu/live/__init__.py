"""Live video over RTP and WebRTC: the part between a compression session and a socket.

:class:`Sender` combines all of the package: packets (RFC 6184), dependency descriptors, transport-wide feedback as acknowledgement, answers
to NACK, a pacer, a rate controller, and the decision on references and refreshes. It has no socket and no clock, so that any
transport can carry its packets, and tests can simulate the path. The other modules can be used alone.
"""

from __future__ import annotations

from .controller import RateController
from .dependencies import dependency_descriptor
from .h264 import packetize
from .history import MediaPacket, PacketHistory
from .pacer import Pacer
from .references import References, SentFrame
from .rtcp import Message, Nack, PictureRequest, ReceiverTime, TransportFeedback, is_rtcp, parse
from .rtp import (
    CLOCK_RATE,
    DEPENDENCY_DESCRIPTOR_URI,
    PLAYOUT_DELAY_URI,
    TRANSPORT_WIDE_2_URI,
    TRANSPORT_WIDE_URI,
    RtpPacket,
)
from .sender import Sender
from .settings import FrameRequest, SenderStatistics, rates, session_properties
from .transmission import Arrival, Report, SentPacket, Transmission

__all__ = [
    "CLOCK_RATE",
    "DEPENDENCY_DESCRIPTOR_URI",
    "PLAYOUT_DELAY_URI",
    "TRANSPORT_WIDE_2_URI",
    "TRANSPORT_WIDE_URI",
    "Arrival",
    "FrameRequest",
    "MediaPacket",
    "Message",
    "Nack",
    "PacketHistory",
    "Pacer",
    "PictureRequest",
    "RateController",
    "ReceiverTime",
    "References",
    "Report",
    "RtpPacket",
    "Sender",
    "SenderStatistics",
    "SentFrame",
    "SentPacket",
    "Transmission",
    "TransportFeedback",
    "dependency_descriptor",
    "is_rtcp",
    "packetize",
    "parse",
    "rates",
    "session_properties",
]
