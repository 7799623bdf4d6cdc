"""Writes H.264 streams that encoders do not produce: pictures of uncompressed or skipped macroblocks."""
import struct


class Bits:
    def __init__(self):
        self.text = ""

    def u(self, count, value):
        self.text += format(value, f"0{count}b")
        return self

    def ue(self, *values):
        for value in values:
            code = format(value + 1, "b")
            self.text += "0" * (len(code) - 1) + code
        return self

    def se(self, value):
        return self.ue(2 * value - 1 if value > 0 else -2 * value)

    def align(self):
        self.text += "0" * (-len(self.text) % 8)
        return self

    def unit(self, header):
        """Returns the NAL unit with trailing bits and emulation prevention (ITU-T H.264 7.4.1)."""
        self.u(1, 1).align()
        data = bytes(int(self.text[at:at + 8], 2) for at in range(0, len(self.text), 8))
        result, zeros = bytearray([header]), 0
        for byte in data:
            if zeros >= 2 and byte <= 3:
                result.append(3)
                zeros = 0
            result.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        return bytes(result)


def annex_b(units):
    return b"".join(b"\0\0\0\1" + unit for unit in units)


class Writer:
    """A stream of pictures of `width` by `height` macroblocks. Profile 66 is Baseline, which has no fields."""

    def __init__(self, width=2, height=2, fields=False, references=4):
        self.width, self.height, self.fields, self.references = width, height, fields, references
        self.has_control = {}

    def sps(self, profile=66, level=40, crop=None):
        bits = Bits().u(8, profile).u(8, 0).u(8, level).ue(0, 4, 0, 4, self.references).u(1, 0)
        bits.ue(self.width - 1, self.height // (2 if self.fields else 1) - 1).u(1, not self.fields)
        if self.fields:
            bits.u(1, 0)
        bits.u(1, 1).u(1, crop is not None)
        if crop:
            bits.ue(*crop)
        return bits.u(1, 0).unit(0x67)

    def pps(self, number=0, has_control=False):
        """Returns a PPS. If `has_control`, slice headers have deblocking parameters, so a decoder with another PPS
        cannot read them."""
        self.has_control[number] = has_control
        bits = Bits().ue(number, 0).u(2, 0).ue(0, 0, 0).u(3, 0).se(0).se(0).se(0)
        return bits.u(1, has_control).u(2, 0).unit(0x68)

    def picture(self, number, order, value=None, reference=True, is_idr=False, pps=0, field=None, intra=False):
        """Returns one slice. Its macroblocks have `value`, or are those of the previous picture if `value` is None.
        `field`: 0 for top, 1 for bottom."""
        is_intra = is_idr or intra
        bits = Bits().ue(0, 7 if is_intra else 5, pps).u(8, number)
        if self.fields:
            bits.u(1, field is not None)
            if field is not None:
                bits.u(1, field)
        if is_idr:
            bits.ue(0)
        bits.u(8, order % 256)
        if not is_intra:
            bits.u(1, 0).u(1, 0)
        if reference:
            bits.u(2 if is_idr else 1, 0)
        bits.se(0)
        if self.has_control[pps]:
            bits.ue(1)
        count = self.width * self.height // (1 if field is None else 2)
        if value is None:
            bits.ue(count)
        for index in range(count if value is not None else 0):
            if not is_intra:
                bits.ue(0)
            bits.ue(25 if is_intra else 30).align()
            for sample in range(384):
                bits.u(8, 1 + (value + 7 * index + sample % 16) % 254)
        return bits.unit((0x60 if reference else 0) | (5 if is_idr else 1))


def flv(sets, frames):
    """Returns an FLV file with length-prefixed samples. Each of `frames` is milliseconds and bytes; the first is the
    key frame."""
    sps, pps = sets
    record = bytes([1, sps[1], sps[2], sps[3], 0xFF, 0xE1]) + struct.pack(">H", len(sps)) + sps
    record += b"\1" + struct.pack(">H", len(pps)) + pps
    result = b"FLV\1\1\0\0\0\x09\0\0\0\0"

    def tag(time, body):
        whole = b"\x09" + struct.pack(">I", len(body))[1:] + struct.pack(">I", time)[1:] + b"\0\0\0\0" + body
        return whole + struct.pack(">I", len(whole))

    result += tag(0, b"\x17\0\0\0\0" + record)
    for index, (time, data) in enumerate(frames):
        result += tag(time, (b"\x27" if index else b"\x17") + b"\1\0\0\0" + data)
    return result


def prefixed(*units):
    return b"".join(struct.pack(">I", len(unit)) + unit for unit in units)
