"""A sender of live video over RTP: packets, order, rate and references, without sockets and clocks of its own."""

from __future__ import annotations

import math
from typing import Any, Optional

from ..errors import InvalidValueError
from . import rtcp
from .controller import RateController
from .h264 import packetize
from .history import MediaPacket, PacketHistory
from .pacer import Pacer
from .packet_form import PacketForm
from .references import References
from .round_trip import RoundTrip
from .rtcp import Nack, PictureRequest, ReceiverTime, TransportFeedback
from .rtp import CLOCK_RATE
from .send_queue import WIRE_OVERHEAD, SendQueue
from .settings import FrameRequest, SenderStatistics, rates
from .transmission import SentPacket, Transmission

#: The pacer's rate relative to the controller's rate.
_PACE = 1.13
#: A receiver requests a missing packet repeatedly. A packet that it has not requested for this many seconds has arrived.
_REQUEST_TIME = 0.12
#: The most frames without an acknowledgement. The encoder keeps 16 frames; with more, a refresh could become a key frame.
_MOST_AHEAD = 12
#: The number of receivers whose last FIR is kept.
_MOST_REQUESTERS = 64
#: The seconds that frames wait in the pacer before pictures are skipped, and before the waiting frames are dropped.
_LATE, _TOO_LATE = 0.08, 0.2
#: The seconds after a refresh in which no further refresh may replace the waiting packets.
_SETTLING = 0.25


class Sender:
    """Sends the samples of a compression session over RTP, and adapts the session to what the receiver reports.

    The caller owns the socket, the clock and the session. It asks :meth:`next_frame` before each picture, hands in the sample with
    :meth:`add_sample`, passes RTCP to :meth:`receive`, and sends what :meth:`take` returns, again after :meth:`wait` seconds. All
    times are seconds of one clock that never goes back. One thread at a time may use a sender.

    :param ssrc: the SSRC of the stream.
    :param payload_type: the payload type of H.264 in packetization mode 1.
    :param extensions: the ids of header extensions by URI, as negotiated. One of the two transport-wide extensions is required;
        the second version is preferred.
    :param start, least, most: the rate on the wire in bits per second, and its bounds.
    :param size: the width and height of the pictures.
    :param payload_limit: the largest RTP payload in bytes.
    :param sequence_number: the first RTP sequence number; below 32,768, because SRTP loses its place if the number wraps early.
    """

    def __init__(
        self,
        *,
        ssrc: int,
        payload_type: int,
        extensions: "dict[str, int]",
        start: float = 1_500_000,
        least: float = 150_000,
        most: float = 4_000_000,
        size: "Optional[tuple[int, int]]" = None,
        payload_limit: int = 1_000,
        sequence_number: int = 1_000,
    ) -> None:
        self._form = PacketForm(ssrc, payload_type, extensions, size)
        for value, name, most_value in (
            (ssrc, "ssrc", 0xFFFFFFFF),
            (payload_type, "payload_type", 127),
            (sequence_number, "sequence_number", 0x7FFF),
        ):
            if not 0 <= value <= most_value:
                raise InvalidValueError(f"{name} is {value}; expected 0 to {most_value}")
        if not 64 <= payload_limit <= 65_000:
            raise InvalidValueError(f"payload_limit is {payload_limit}; expected 64 to 65000 bytes")
        self._ssrc, self._payload_limit = ssrc, payload_limit
        self._number = sequence_number
        self._controller = RateController(start, least, most)
        self._pacer = Pacer(start * _PACE)
        self._references = References()
        self._transmission = Transmission()
        self._history = PacketHistory()
        self._queue = SendQueue()
        self._last_tries: "dict[int, float]" = {}
        # Packets that no report mentions, by RTP sequence number, with the time at which that was noticed.
        self._unreported: "dict[int, tuple[float, SentPacket]]" = {}
        self._refresh = False
        self._key_frame = False
        # Whether the sample of a requested refresh is still awaited.
        self._refreshing = False
        self._refreshed = -math.inf
        # The time of the last request for a picture that a refresh has answered.
        self._asked = -math.inf
        # The last FIR of each receiver: its sequence number by the receiver's SSRC.
        self._commands: "dict[int, int]" = {}
        self._last_sent = -math.inf
        self._last_heard = -math.inf
        self._round_trip = RoundTrip()
        self._applied = 0.0
        self._replies: list[bytes] = []
        #: Counts since the start.
        self.statistics = SenderStatistics()

    @property
    def controller(self) -> RateController:
        """The controller, for display."""
        return self._controller

    @property
    def references(self) -> References:
        """The frames on their way, for display."""
        return self._references

    @property
    def waiting(self) -> float:
        """The time in seconds that packets wait for the pacer."""
        return self._queue.size * 8 / self._pacer.rate

    @property
    def round_trip(self) -> float:
        """The time from a packet to its report, in seconds."""
        return self._round_trip.mean

    # ---- Frames ----------------------------------------------------------------------------------------------------

    def next_frame(self, now: float) -> Optional[FrameRequest]:
        """Returns the settings of the next frame; None if this picture should be skipped."""
        self._update(now)
        if self.waiting > _TOO_LATE and self._references.newest >= 0 and now - self._refreshed > _SETTLING:
            self._drop()
        if self.waiting > _LATE:
            self.statistics.skipped += 1
            return None
        started = self._references.next_number > 0
        ahead = self._references.ahead - _MOST_AHEAD
        if ahead >= 0 and not self._key_frame:
            # Each attempt without an acknowledgement costs one of the frames that the encoder keeps.
            wanted = (self._refresh or self._refreshing) and self._references.newest >= 0
            if not wanted or now - self._refreshed < min(0.15 * 2**ahead, 1):
                self.statistics.paused += 1
                return None
        # The encoder may have dropped the frame that was to be a refresh.
        refresh = (self._refresh or self._refreshing) and started and self._references.newest >= 0
        properties: dict[str, Any] = {}
        if abs(self._controller.rate - self._applied) > 0.02 * self._applied:
            self._applied = self._controller.rate
            self._pace(now)
            properties = rates(self._applied)
        if refresh:
            self._drop()
            self._refresh, self._refreshing, self._refreshed = False, True, now
            self.statistics.refreshes += 1
        key_frame, self._key_frame = self._key_frame, False
        return FrameRequest(self._references.take_tokens(), refresh and not key_frame, key_frame, properties)

    def add_sample(self, sample: Any, time: float, now: float) -> None:
        """Adds the sample of the last :meth:`next_frame`.

        :param sample: a :class:`nalu.Sample` of a session with ``EnableLTR``.
        :param time: the capture time in seconds, from which the RTP timestamp is made.
        """
        if sample.ltr_token is None:
            raise InvalidValueError("sample has no ltr_token; expected one of a session with the property EnableLTR")
        self._refreshing = False
        units = list(sample.nal_units)
        if sample.is_key_frame:
            units = list(sample.format_description.parameter_sets) + units
        payloads = packetize(units, self._payload_limit)
        frame = self._references.add(
            token=sample.ltr_token,
            reference=sample.ltr_reference,
            packets=len(payloads),
            is_key_frame=sample.is_key_frame or sample.ltr_reference is None,
        )
        timestamp = int(time * CLOCK_RATE) & 0xFFFFFFFF
        for index, payload in enumerate(payloads):
            self._queue.add(MediaPacket(frame.number, index, payload, timestamp, index == len(payloads) - 1))
        self.statistics.frames += 1
        self.statistics.key_frames += sample.is_key_frame
        self.statistics.most_waiting = max(self.statistics.most_waiting, self._queue.new_count)

    def _drop(self) -> None:
        """Drops packets that wait, and abandons their frames: a refresh replaces them."""
        self.statistics.dropped += self._queue.frames
        self._queue.clear()
        self._references.abandon()
        self._refresh = True

    # ---- Feedback --------------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """Reads an RTCP packet. A packet that cannot be read is counted and has no effect."""
        try:
            messages = rtcp.parse(data)
        except InvalidValueError:
            self.statistics.malformed += 1
            return
        for message in messages:
            if isinstance(message, TransportFeedback):
                self._report(message, now)
            elif isinstance(message, Nack) and message.ssrc == self._ssrc:
                self.statistics.nacks += 1
                # A request may have crossed a packet that is on its way.
                before = now - 0.005 - min(self._round_trip.mean, self._path_time)
                for number in message.lost:
                    self._unreported.pop(number, None)
                    self._repeat(number, before, now)
            elif isinstance(message, PictureRequest) and message.ssrc == self._ssrc:
                self.statistics.picture_requests += 1
                self._answer(message, now)
            elif isinstance(message, ReceiverTime):
                self._replies.append(rtcp.receiver_time_reply(self._ssrc, message, 0.0))
                del self._replies[:-4]

    def _answer(self, request: PictureRequest, now: float) -> None:
        """Decides on a refresh or a key frame for a request."""
        if request.full:
            # Also from a relay, for a receiver that has no earlier frame. A repetition is the same command (RFC 5104 4.3.1.1).
            if self._commands.pop(request.requester, None) != request.number:
                self._restart()
            self._commands[request.requester] = request.number
            while len(self._commands) > _MOST_REQUESTERS:
                del self._commands[next(iter(self._commands))]
        # Before the first acknowledgement, the packets of the key frame are sent again as long as that is possible.
        elif self._references.newest >= 0:
            # A second request after a refresh: the frames that have arrived cannot be decoded.
            if 0.3 + 2 * self._path_time < now - self._asked < 5:
                self._restart()
            elif now - self._asked >= 5:
                self._refresh, self._asked = True, now
        elif self._references.next_number and not (self._transmission.in_flight or self._queue):
            self._restart()

    def _restart(self) -> None:
        """Makes the next frame a key frame, which replaces the frames on their way."""
        self._references.abandon()
        self._key_frame, self._asked = True, -math.inf

    def _report(self, feedback: TransportFeedback, now: float) -> None:
        report = self._transmission.report(feedback, now)
        self.statistics.reports += 1
        self.statistics.lost += len(report.lost)
        self.statistics.unknown += len(report.unknown)
        self._last_heard = now
        for arrival in report.arrived:
            if arrival.sent.packet.position >= 0:
                self._references.arrived(arrival.sent.packet.frame, arrival.sent.packet.position)
        for sent in report.unknown:
            self._unreported.setdefault(sent.number & 0xFFFF, (now, sent))
        for sent in report.lost:
            if sent.packet.position >= 0:
                self._repeat(sent.number, sent.time, now)
        if report.round_trip is not None:
            self._round_trip.add(report.round_trip, now)
        self._controller.reported(
            [(arrival.sent.time, arrival.time, arrival.sent.size) for arrival in report.arrived], len(report.lost), now
        )
        self._update(now)

    def _settle(self, now: float) -> None:
        """Counts packets as arrived that no report mentions and that the receiver has not requested for a while.

        Sending them again would not help: SRTP drops a second copy before the receiver counts it.
        """
        while self._unreported:
            number, (time, sent) = next(iter(self._unreported.items()))
            if now - time < _REQUEST_TIME + self._path_time:
                break
            del self._unreported[number]
            if sent.packet.position >= 0:
                self._references.arrived(sent.packet.frame, sent.packet.position)

    def _repeat(self, number: int, before: float, now: float) -> None:
        """Sends a packet again, unless the packet was sent since ``before``."""
        packet = self._history.find(number)
        if packet is None or not self._references.wants(packet.frame, packet.position):
            return
        if self._last_tries.get(number & 0xFFFF, -1.0) > before:
            return
        self._last_tries[number & 0xFFFF] = now
        self._queue.add_repeat(number, packet)

    def _pace(self, now: float) -> None:
        # The pacer must not exceed the limits that the session has.
        rate = min(self._controller.rate, self._applied or self._controller.rate) * _PACE
        if rate != self._pacer.rate:
            self._pacer.set_rate(rate, now)

    @property
    def _path_time(self) -> float:
        """The least round trip of the last ten seconds, and the queue on the path."""
        least = self._round_trip.least
        return (0.05 if least is None else least) + self._controller.queue

    def _update(self, now: float) -> None:
        """Adapts the rate, and decides on a refresh."""
        self._settle(now)
        if self._controller.update(now, self._transmission.in_flight > 0):
            self.statistics.congested.append(now)
            del self.statistics.congested[:-1_000]
            self._pace(now)
            # A refresh that is on its way must not be replaced by another one.
            if self.waiting > _LATE and self._references.newest >= 0 and now - self._refreshed > _SETTLING:
                self._drop()
        else:
            self._pace(now)
        # A packet that several attempts have not delivered holds up every later frame.
        oldest = self._references.oldest
        if oldest is not None and self._references.newest >= 0 and not self._refresh:
            first = oldest.first_sent
            limit = 0.12 + 2 * self._path_time
            if first is not None and now - first > limit and now - self._refreshed > limit:
                self._refresh = True

    # ---- Packets ---------------------------------------------------------------------------------------------------

    @property
    def _window(self) -> float:
        """The most bytes on their way. The limit keeps the queue short when the path becomes slow."""
        least = self._round_trip.least
        delay = 0.02 if self._form.with_requests else 0.12
        return self._controller.rate / 8 * ((0.1 if least is None else least) + delay) + 3_600

    def take(self, now: float) -> Optional[bytes]:
        """Returns an RTP or RTCP packet that must be sent now; None if none is due.

        Call it again at once, with a new time, until it returns None. ``now`` counts as the time of sending.
        """
        self._update(now)
        if self._replies:
            return self._replies.pop(0)
        if self._pacer.wait(now) <= 0 and self._transmission.in_flight <= self._window:
            while repeat := self._queue.take_repeat():
                number, packet = repeat
                if self._references.wants(packet.frame, packet.position):
                    self.statistics.resent += 1
                    return self._serialize(packet, number, now)
            if self._queue.has_new:
                return self._take_new(now)
        return self._probe(now) if self._is_quiet(now) else None

    def _take_new(self, now: float) -> bytes:
        packet = self._queue.take_new()
        return self._serialize(packet, self._add(packet, now), now)

    def wait(self, now: float) -> float:
        """Returns the seconds until :meth:`take` should be called again, 1 to 10 ms, unless a sample or RTCP arrives before."""
        if not self._queue:
            return 0.01
        if self._transmission.in_flight > self._window:
            return 0.005
        return min(max(self._pacer.wait(now), 0.001), 0.01)

    def _add(self, packet: MediaPacket, now: float) -> int:
        number = self._number
        self._number += 1
        self._history.add(number, packet)
        self._last_tries[number & 0xFFFF] = now
        self._last_tries.pop(number - 2_048 & 0xFFFF, None)
        self._unreported.pop(number - 2_048 & 0xFFFF, None)
        frame = self._references.find(packet.frame)
        if frame is not None and frame.first_sent is None:
            frame.first_sent = now
        return number

    def _is_quiet(self, now: float) -> bool:
        """Returns whether packets are on their way, but no packet is due that would cause a report."""
        if self._transmission.in_flight == 0:
            return False
        blocked = not self._queue or self._transmission.in_flight > self._window
        # The path's queue shrinks while no report arrives.
        since = max(0.0, now - max(self._last_sent, self._last_heard))
        path = self._path_time - min(since / 2, self._controller.queue)
        due = max(self._last_sent, self._last_heard) + 0.015 + path + (0.0 if self._form.with_requests else 0.1)
        return blocked and now > due

    def _probe(self, now: float) -> bytes:
        """Returns a packet with which the receiver notices that the packets before it are missing, and reports.

        The packet is the next one that waits, or padding after a frame. Padding inside a frame would make the frame incomplete.
        """
        self.statistics.probes += 1
        if self._queue.has_new:
            self._form.request_report()
            return self._take_new(now)
        last = self._history.find(self._number - 1)
        packet = MediaPacket(-1, -1, b"", last.timestamp if last is not None else 0, False)
        return self._serialize(packet, self._add(packet, now), now)

    def _serialize(self, packet: MediaPacket, number: int, now: float) -> bytes:
        data = self._form.serialize(
            packet,
            number,
            self._references.find(packet.frame),
            transport_number=self._transmission.next_number,
            report_length=self._transmission.report_length,
            # Without a report, a full window would stop the sender.
            is_filling=self._transmission.in_flight > self._window / 2,
        )
        size = len(data) + WIRE_OVERHEAD
        self._transmission.sent(SentPacket(packet, number, size, now))
        self._pacer.sent(size, now)
        self._last_sent = now
        self._last_tries[number & 0xFFFF] = now
        self.statistics.packets += 1
        self.statistics.sent_bytes += size
        return data
