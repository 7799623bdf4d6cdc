"""nalu.live: packets against RFCs and aiortc's parsers, and the sender over a simulated path."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM_LIMIT, picture
from hypothesis import given
from hypothesis import strategies as st
from live_path import EXTENSIONS, RATE, SSRC, Simulation, feedback, nack, rtcp

import nalu
from nalu import live

EXAMPLE = Path(__file__).absolute().parents[3] / "examples/live/webrtc.py"


def samples(**properties) -> "list[nalu.Sample]":
    with nalu.CompressionSession(320, 192, frame_rate=RATE, bit_rate=4_000_000, real_time=True, properties={"EnableLTR": True, **properties}) as session:
        return [sample for number in range(4) for sample in session.encode(picture(320, 192, 20 * number))]


# ---- Packets -------------------------------------------------------------------------------------------------------


def test_payloads_hold_the_nal_units_for_aiortc():
    """aiortc's depacketizer returns the NAL units that went in: single, aggregated and fragmented."""
    codec = pytest.importorskip("aiortc.codecs.h264")
    for sample in samples():
        units = list(sample.format_description.parameter_sets) * sample.is_key_frame + list(sample.nal_units)
        payloads = live.packetize(units, 300)
        assert max(map(len, payloads)) <= 300
        assert {payload[0] & 31 for payload in payloads} >= ({24, 28} if sample.is_key_frame else {28})
        assert b"".join(codec.H264PayloadDescriptor.parse(payload)[1] for payload in payloads) == b"".join(b"\0\0\0\1" + unit for unit in units)


def test_fragments_have_nearly_equal_sizes():
    payloads = live.packetize([b"\x65" + bytes(1_000)], 340)
    assert [len(payload) for payload in payloads] == [335, 335, 336]
    assert [payload[:2].hex() for payload in payloads] == ["7c85", "7c05", "7c45"]


@given(st.lists(st.binary(min_size=1, max_size=400), max_size=12), st.integers(64, 500))
def test_no_payload_exceeds_the_limit(units, limit):
    payloads = live.packetize(units, limit)
    assert all(1 <= len(payload) <= limit for payload in payloads)
    assert sum(map(len, payloads)) >= sum(map(len, units))


def test_wrong_arguments_are_named():
    with pytest.raises(nalu.InvalidValueError, match="limit is 63; expected 64 to 65535"):
        live.packetize([b"\x65"], 63)
    with pytest.raises(nalu.InvalidValueError, match="empty NAL unit"):
        live.packetize([b""])
    with pytest.raises(nalu.InvalidValueError, match="frame 5 refers to frame 5"):
        live.dependency_descriptor(5, 5, first=True, last=True)
    with pytest.raises(nalu.InvalidValueError, match="rate is 0"):
        live.Pacer(0)
    with pytest.raises(nalu.InvalidValueError, match="0 < least <= start <= most"):
        live.RateController(1, 2, 3)
    with pytest.raises(nalu.InvalidValueError, match="no transport-wide sequence number"):
        live.Sender(ssrc=1, payload_type=96, extensions={})
    with pytest.raises(nalu.InvalidValueError, match="payload_type is 128; expected 0 to 127"):
        live.Sender(ssrc=1, payload_type=128, extensions=EXTENSIONS)
    with pytest.raises(nalu.InvalidValueError, match="no ltr_token"):
        sender().add_sample(samples(EnableLTR=False)[0], 0.0, 0.0)


def test_packets_are_those_of_aiortc():
    rtp = pytest.importorskip("aiortc.rtp")
    packet = live.RtpPacket(99, 65_535, 0x89ABCDEF, 0xFEDCBA98, True, b"payload", ((4, b"\x12\x34"), (14, bytes(16))))
    parsed = rtp.RtpPacket.parse(packet.serialize(), rtp.HeaderExtensionsMap())
    assert (parsed.payload_type, parsed.sequence_number, parsed.timestamp, parsed.ssrc) == packet[:4]
    assert (parsed.marker, parsed.payload) == (1, b"payload")
    data = packet.serialize()
    profile, words = struct.unpack_from("!HH", data, 12)
    assert rtp.unpack_header_extensions(profile, data[16 : 16 + 4 * words]) == list(packet.extensions)
    long = packet._replace(extensions=((4, b""), (200, bytes(range(17)))))
    data = long.serialize()
    profile, words = struct.unpack_from("!HH", data, 12)
    assert rtp.unpack_header_extensions(profile, data[16 : 16 + 4 * words]) == list(long.extensions)
    assert live.RtpPacket.parse(data) == long


def test_the_bytes_of_a_packet():
    """RFC 3550 5.1 and RFC 8285 4.2, written by hand."""
    packet = live.RtpPacket(96, 1, 2, 3, False, b"\xaa", ((5, b"\x01\x02"),))
    assert packet.serialize().hex() == "90600001" "00000002" "00000003" "bede0001" "51010200" "aa"


@given(st.binary(max_size=80))
def test_any_bytes_are_a_packet_or_an_error(data):
    for parser in (live.RtpPacket.parse, live.parse):
        try:
            parser(data)
        except nalu.InvalidValueError as error:
            assert "expected" in str(error)


@given(st.sampled_from([200, 201, 205, 206, 207]), st.integers(0, 31), st.binary(max_size=64))
def test_any_rtcp_body_is_read_or_an_error(kind, format, body):
    body += bytes(-len(body) % 4)
    sending = sender()
    sending.receive(struct.pack("!BBH", 0x80 | format, kind, len(body) // 4) + body, 0.0)
    assert sending.take(0.0) is None or kind == 207


# ---- Dependency descriptors ----------------------------------------------------------------------------------------


def bits(text: str) -> bytes:
    text = text.replace(" ", "")
    return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


def test_descriptors_are_those_of_the_specification():
    """Written from the syntax in appendix A.8.2 of the RTP payload format for AV1."""
    structure = "10000 000000 00000 00 11 10 10 0 1 0000 0 0"
    assert live.dependency_descriptor(0x1234, None, first=True, last=False) == bits(f"1 0 000000 {0x1234:016b} {structure} 0")
    sized = live.dependency_descriptor(0, None, first=True, last=True, size=(1280, 720))
    assert sized == bits(f"1 1 000000 {0:016b} {structure} 1 {1279:016b} {719:016b}")
    assert live.dependency_descriptor(3, None, first=False, last=True) == bits(f"0 1 000000 {3:016b}")
    assert live.dependency_descriptor(65_540, 65_539, first=False, last=False) == bits(f"0 0 000001 {4:016b}")
    for back, size in ((2, 1), (16, 1), (17, 2), (256, 2), (257, 3), (4096, 3)):
        expected = bits(f"1 0 000001 {5_000:016b} 00010 {size:02b} {back - 1:0{4 * size}b} 00")
        assert live.dependency_descriptor(5_000, 5_000 - back, first=True, last=False) == expected


def test_descriptors_of_two_layers_are_those_of_the_specification():
    """Templates: no reference; layer 0, two frames back; layer 1, one frame back, which a receiver of both may discard."""
    structure = "10000 000000 00001 00 01 11 1010 1010 0001 0 1 0001 0 1 0000 0 0"

    def two(frame, reference, layer=0):
        return live.dependency_descriptor(frame, reference, first=True, last=True, layers=2, layer=layer)

    assert two(0, None) == bits(f"1 1 000000 {0:016b} {structure} 0")
    assert two(1, 0, 1) == bits(f"1 1 000010 {1:016b}")
    assert two(2, 0) == bits(f"1 1 000001 {2:016b}")
    # A frame after one that was lost, and the third frame of four.
    assert two(6, 2) == bits(f"1 1 000001 {6:016b} 00010 01 0011 00")
    assert two(7, 6, 1) == bits(f"1 1 000010 {7:016b}")
    assert two(7, 4, 1) == bits(f"1 1 000010 {7:016b} 00010 01 0010 00")
    for layers, layer in ((1, 1), (2, 2), (3, 0), (2, -1)):
        with pytest.raises(nalu.InvalidValueError, match="expected"):
            live.dependency_descriptor(2, 1, first=True, last=True, layers=layers, layer=layer)
    with pytest.raises(nalu.InvalidValueError, match="layer 1"):
        two(2, None, 1)


def test_the_layers_of_samples_become_descriptors():
    """Each frame refers to the frame of the base layer before it."""
    properties = {"BaseLayerFrameRateFraction": 0.5}
    with nalu.CompressionSession(320, 192, frame_rate=RATE, real_time=True, properties=properties) as session:
        samples = [sample for number in range(5) for sample in session.encode(picture(320, 192, number))] + session.flush()
    assert [sample.is_depended_on for sample in samples] == [True, False, True, False, True]
    base, found = None, []
    for number, sample in enumerate(samples):
        layer = 0 if sample.is_depended_on else 1
        found.append(live.dependency_descriptor(number, base, first=True, last=True, layers=2, layer=layer))
        base = base if layer else number
    assert [len(data) for data in found] == [10, 3, 3, 3, 3]
    assert [data[0] & 63 for data in found] == [0, 2, 1, 2, 1]


def test_the_references_of_samples_become_descriptors():
    """Sequence: key frame, frame, a frame whose acknowledged reference lies two frames back."""
    sending, tokens, found = sender(), [], []
    with nalu.CompressionSession(320, 192, frame_rate=RATE, real_time=True, properties=live.session_properties(1_000_000)) as session:
        for number in range(4):
            options = {"acknowledged": tokens[:2], "force_ltr_refresh": True} if number == 3 else {}
            [sample] = session.encode(picture(320, 192, number), **options)
            tokens.append(sample.ltr_token)
            sending.add_sample(sample, number / RATE, number / RATE)
            assert sample.ltr_reference == (None if number == 0 else tokens[1] if number == 3 else tokens[number - 1])
            now = number / RATE
            while (data := sending.take(now)) is not None or sending.waiting:
                now += 0.001
                if data is not None:
                    packet = live.RtpPacket.parse(data)
                    found.append(dict(packet.extensions)[EXTENSIONS[live.DEPENDENCY_DESCRIPTOR_URI]])
    firsts = [data for data in found if data[0] & 0x80]
    assert [struct.unpack_from("!H", data, 1)[0] for data in firsts] == [0, 1, 2, 3]
    assert [len(data) for data in firsts[:3]] == [8, 3, 3]  # the structure, and twice the previous frame
    assert firsts[3][3:] == bits("00010 01 0001 00")
    assert sum(data[0] >> 6 & 1 for data in found) == 4


# ---- Feedback ------------------------------------------------------------------------------------------------------


def test_feedback_is_that_of_the_draft():
    """Written by hand from section 3.1 of draft-holmer-rmcat-transport-wide-cc-extensions-01: a run, both kinds of vectors."""
    head = struct.pack("!LLHHL", 1, SSRC, 65_534, 25, 3 << 8 | 9)
    run = struct.pack("!H", 0 << 15 | 1 << 13 | 3)  # three small deltas
    one_bit = struct.pack("!H", 1 << 15 | 0 << 14 | 0b10000000000001)
    two_bits = struct.pack("!H", 1 << 15 | 1 << 14 | 0b10_00_01_00_00_00_00)
    last = struct.pack("!H", 0 << 15 | 0 << 13 | 1)  # not received
    deltas = bytes([4, 8, 255]) + bytes([0, 1]) + struct.pack("!h", -8) + bytes([20])
    body = head + run + one_bit + two_bits + last + deltas
    body += bytes(-len(body) % 4)
    [message] = live.parse(struct.pack("!BBH", 0x8F, 205, len(body) // 4) + body)
    assert (message.base, message.number, len(message.arrivals)) == (65_534, 9, 25)
    start = 3 * 64e-3
    expected = {0: 1e-3, 1: 3e-3, 2: 66.75e-3, 3: 66.75e-3, 16: 67e-3, 17: 65e-3, 19: 70e-3}
    assert {place: pytest.approx(time - start) for place, time in enumerate(message.arrivals) if time is not None} == expected


@given(st.lists(st.one_of(st.none(), st.integers(0, 8_000)), min_size=1, max_size=60), st.integers(0, 65_535))
def test_feedback_is_read_as_it_was_written(ticks, base):
    arrivals = [None if tick is None else tick / 4000 for tick in ticks]
    [message] = live.parse(feedback(base, arrivals))
    assert message.base == base
    assert [None if time is None else round(time * 4000) for time in message.arrivals] == ticks


def test_requests_are_those_of_aiortc():
    rtp = pytest.importorskip("aiortc.rtp")
    lost = [5, 20, 300, 65_530, 65_535]
    data = bytes(rtp.RtcpRtpfbPacket(fmt=1, ssrc=1, media_ssrc=SSRC, lost=lost))
    data += bytes(rtp.RtcpPsfbPacket(fmt=1, ssrc=1, media_ssrc=SSRC))
    messages = live.parse(data)
    assert messages[0].ssrc == SSRC and set(messages[0].lost) == set(lost)
    assert messages[1:] == [live.PictureRequest(SSRC, False, 1, 0)]
    [fir] = live.parse(bytes(rtp.RtcpPsfbPacket(fmt=4, ssrc=1, media_ssrc=0, fci=struct.pack("!LL", SSRC, 200 << 24))))
    assert fir == live.PictureRequest(SSRC, True, 1, 200)
    [wrapped] = live.parse(struct.pack("!BBHLLHH", 0x81, 205, 3, 1, SSRC, 65_530, 1 << 5 | 1))
    assert wrapped.lost == (65_530, 65_531, 0)


def test_the_clock_of_a_receiver_is_returned():
    sending = sender()
    sending.receive(struct.pack("!BBHLBBHLL", 0x80, 207, 4, 77, 4, 0, 2, 0x11112222, 0x33334444), 1.0)
    reply = sending.take(1.0)
    assert live.is_rtcp(reply)
    assert reply == struct.pack("!BBHLBBHLLL", 0x80, 207, 5, SSRC, 5, 0, 3, 77, 0x22223333, 0)


def test_reports_become_acknowledgements():
    transmission = live.Transmission()
    sent = [live.SentPacket(live.MediaPacket(0, number, b"", 0, False), 1_000 + number, 100, number / 100) for number in range(8)]
    for packet in sent:
        transmission.sent(packet)
    assert transmission.in_flight == 800
    read = live.parse(feedback(0, [0.5, None, 0.51, None, 0.52, None]))[0]
    report = transmission.report(read, 0.1)
    assert [arrival.sent for arrival in report.arrived] == [sent[0], sent[2], sent[4]]
    assert report.lost == (sent[1],) and report.unknown == ()  # 3 and 5 may still arrive
    assert transmission.in_flight == 400 and report.round_trip == pytest.approx(0.1 - 0.04)
    assert transmission.report(live.parse(feedback(1, [0.505]))[0], 0.1).arrived[0].sent == sent[1]  # late
    report = transmission.report(live.parse(feedback(7, [0.53]))[0], 0.1)
    assert report.unknown == (sent[3],) and report.lost == ()  # a message about 3 was lost
    assert transmission.report(live.parse(feedback(500, [1.0]))[0], 0.1).arrived == ()  # never sent


# ---- Pacer, controller, references ---------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 0.05), st.integers(60, 1_500)), min_size=1, max_size=100), st.floats(1e5, 1e7))
def test_no_interval_has_more_than_its_share(steps, rate):
    pacer, now, sent = live.Pacer(rate, 0.03), 0.0, []
    for pause, size in steps:
        now += max(pause, pacer.wait(now))
        if pacer.wait(now) <= 1e-9:
            pacer.sent(size, now)
            sent.append((now, size))
    for place, (start, _) in enumerate(sent):
        total = 0
        for time, size in sent[place:]:
            total += size
            assert total <= (time - start + 0.03) * rate / 8 + size + 1


def report(controller, start, count, rate, delay):
    """Packets of 1,000 bytes at a rate; ``delay`` of their number."""
    for number in range(count):
        sent = start + number * 8_000 / rate
        controller.reported([(sent, sent + delay(number), 1_000)], 0, sent + delay(number))
        controller.update(sent + delay(number))
    return start + count * 8_000 / rate


def test_the_rate_rises_without_a_queue_and_falls_with_one():
    controller = live.RateController(1_000_000, 100_000, 3_000_000)
    now = report(controller, 0.0, 600, 1_000_000, lambda _: 0.01)
    assert 1_900_000 < controller.rate < 2_100_000 and controller.queue == 0  # an unused rate proves nothing
    now = report(controller, now, 600, 2_000_000, lambda _: 0.01)
    assert controller.rate == 3_000_000 and controller.queue == 0
    report(controller, now, 20, 2_000_000, lambda number: 0.01 + number * 0.012)  # 16 ms a packet: 500 kb/s arrive
    assert 300_000 <= controller.rate <= 600_000
    assert controller.queue > 0.1


def test_a_pause_of_the_receiver_does_not_count_as_a_queue():
    controller = live.RateController(1_000_000, 100_000, 1_000_000)
    now = report(controller, 0.0, 200, 1_000_000, lambda _: 0.01)
    # Ten packets arrive together after 80 ms, all in one report.
    controller.reported([(now + number * 0.008, now + 0.09, 1_000) for number in range(11)], 0, now + 0.09)
    assert not controller.update(now + 0.09)
    assert controller.rate == 1_000_000


def test_an_abandoned_frame_never_counts_as_acknowledged():
    references = live.References()
    for number in range(3):
        references.add(token=10 + number, reference=None if number == 0 else 9 + number, packets=1, is_key_frame=number == 0)
    references.arrived(0, 0)
    references.abandon()
    references.arrived(1, 0)
    references.add(token=13, reference=10, packets=1, is_key_frame=False)
    references.arrived(3, 0)
    assert references.take_tokens() == [10, 13]
    assert (references.newest, references.ahead) == (3, 0)
    assert not references.wants(1, 0)


def test_a_requested_packet_is_sent_again_with_its_number_once():
    sending, numbers, now = sender(), [], 0.0
    sending.add_sample(samples()[0], 0.0, 0.0)
    while sending.waiting:
        now += 0.001
        data = sending.take(now)
        if data is not None:
            numbers.append(live.RtpPacket.parse(data).sequence_number)
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    first = numbers[0]
    now += 1
    sending.receive(nack([first, first, 5]), now)
    sending.receive(nack([first]), now + 0.001)
    again = []
    for step in range(5):
        data = sending.take(now + 0.002 + step / 1_000)
        again += [live.RtpPacket.parse(data)] if data is not None else []
    assert [packet.sequence_number for packet in again if len(packet.payload)] == [first]
    assert sending.statistics.resent == 1


def test_each_new_fir_causes_a_key_frame():
    """RFC 5104 4.3.1: a key frame, also if earlier frames have arrived; a repetition has the sequence number of the command."""
    sending, now = sender(), 0.0
    sending.next_frame(now)
    sending.add_sample(samples()[0], now, now)
    while sending.waiting:
        now += 0.001
        sending.take(now)
    sending.receive(feedback(0, [now] * sending.statistics.packets), now)

    def requests(data: bytes) -> "tuple[bool, bool]":
        sending.receive(data, now)
        request = sending.next_frame(now)
        return request.force_key_frame, request.force_ltr_refresh

    def fir(number: int, requester: int = 1) -> bytes:
        return rtcp(206, 4, struct.pack("!LLLL", requester, 0, SSRC, number << 24))

    assert requests(fir(255)) == (True, False)
    assert requests(fir(255)) == (False, False)
    assert requests(fir(255, 2)) == (True, False)
    assert requests(fir(255) + fir(255, 2)) == (False, False)
    assert requests(fir(0)) == (True, False)
    assert requests(rtcp(206, 1, struct.pack("!LL", 1, SSRC))) == (False, True)
    assert sending.statistics.picture_requests == 7


def sender(**options) -> live.Sender:
    return live.Sender(ssrc=SSRC, payload_type=99, extensions=EXTENSIONS, **options)


# ---- The sender over a path ----------------------------------------------------------------------------------------


def steps(time: float) -> float:
    return 500_000 if 10 <= time < 20 else 5_000_000


@pytest.mark.parametrize("seed", range(100 if "NALU_SOAK" in os.environ else 3))
def test_a_bad_link_needs_one_key_frame_and_causes_no_long_gap(seed):
    """5, 0.5 and 5 Mb/s, 5 % loss in both directions, in simulated time."""
    run = Simulation(30, steps, 0.05, seed)
    counts = run.sender.statistics
    assert counts.key_frames == run.browser.key_frames == 1
    at_steps, elsewhere = run.gaps((10, 20))
    assert at_steps <= 0.4 and elsewhere <= 0.25
    delays = run.delays()
    assert delays[len(delays) // 2] <= 0.08
    assert run.wire_ratio() <= 1.15
    # Bounded queues: less than 0.3 s of packets, and no more than the two frames of a burst.
    assert run.most_waiting <= 0.3 and counts.most_waiting <= 60
    shown = [frame for _, frame, _ in run.browser.shown]
    assert shown == sorted(set(shown)) and len(shown) > 850
    assert counts.refreshes >= 1 and counts.resent > 100


def test_reports_at_intervals_suffice_for_one_key_frame():
    """A receiver without reports on request, which loses some of its reports."""
    run = Simulation(20, steps, 0.05, 8, requests=False)
    assert run.sender.statistics.key_frames == run.browser.key_frames == 1
    assert max(run.gaps()) <= 1.0
    assert run.sender.statistics.unknown > 0


def test_a_link_that_vanishes_stops_the_sender_and_comes_back():
    """Nothing arrives from 3 s to 6 s: the sender pauses with bounded queues, and the picture returns within a second."""
    run = Simulation(8, lambda time: 1e-3 if 3 <= time < 6 else 5_000_000, 0.0, 1)
    assert run.most_waiting <= 0.3
    during = sum(size for time, size in run.wire if 3.5 <= time < 6)
    assert during < 40_000
    assert run.sender.statistics.key_frames <= 2


def test_the_example_sends_to_aiortc():
    """aiortc's own receiver and decoder, in another process. It does not report, so the sender pauses after its first frames."""
    pytest.importorskip("aiortc")
    program = f"""
import asyncio, sys, time
sys.path.insert(0, {str(EXAMPLE.parent)!r})
import webrtc

async def main():
    webrtc.offer_extensions()
    connection = webrtc.Connection(size=(512, 288))
    receiver = webrtc.aiortc.RTCPeerConnection(webrtc.aiortc.RTCConfiguration(iceServers=[]))
    tracks = asyncio.Queue()
    receiver.on("track", tracks.put_nowait)
    await receiver.setRemoteDescription(webrtc.aiortc.RTCSessionDescription(**await connection.offer()))
    await receiver.setLocalDescription(await receiver.createAnswer())
    await connection.answer({{"sdp": receiver.localDescription.sdp, "type": "answer"}})
    await connection.connected.wait()
    streaming = asyncio.ensure_future(webrtc.stream(connection, 512, 288, 30, webrtc.Bars(512, 288)))
    track = await tracks.get()
    numbers = []
    while len(numbers) < 3:
        row = (await track.recv()).to_ndarray(format="gray")[4, 4:256:8]
        numbers.append(sum(int(value > 127) << 31 - bit for bit, value in enumerate(row)))
    assert numbers == sorted(set(numbers)) and numbers[-1] < 40, numbers
    connection.closed.set()
    await streaming
    await connection.close()
    await receiver.close()
    print("received", len(numbers))

asyncio.run(asyncio.wait_for(main(), 60))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PROGRAM_LIMIT)
    assert done.returncode == 0 and "received 3" in done.stdout, done.stderr
