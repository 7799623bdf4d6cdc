"""The dependency descriptor, an RTP header extension (RTP Payload Format For AV1, appendix A).

The descriptor names the frame that each frame refers to. A receiver that understands it decodes every frame whose references it
has, whatever else is lost.
"""

from __future__ import annotations

from typing import Optional

from ..errors import InvalidValueError

#: The longest distance between a frame and its reference that a descriptor can express.
MOST_FRAMES_BACK = 4096


class _Bits:
    def __init__(self) -> None:
        self._value, self._count = 0, 0

    def add(self, width: int, value: int) -> None:
        self._value, self._count = self._value << width | value, self._count + width

    def data(self) -> bytes:
        padding = -self._count % 8
        return (self._value << padding).to_bytes((self._count + padding) // 8, "big")


def dependency_descriptor(
    frame: int,
    reference: Optional[int],
    *,
    first: bool,
    last: bool,
    size: "Optional[tuple[int, int]]" = None,
    layers: int = 1,
    layer: int = 0,
) -> bytes:
    """Returns the descriptor of one packet.

    :param frame: the number of the frame in sending order; 16 bits of it are written.
    :param reference: the number of the frame that the frame refers to; None for a key frame.
    :param first: whether the packet is the first one of the frame. The first packet of a key frame has the template structure.
    :param last: whether the packet is the last one of the frame.
    :param size: the width and height of the pictures in the template structure, 1 to 65,536 each.
    :param layers: the temporal layers of the stream: 1, or 2 with the property BaseLayerFrameRateFraction.
    :param layer: the layer of the frame: 0, or 1 if no other frame refers to it (:attr:`nalu.Sample.is_depended_on`).

    >>> dependency_descriptor(2, 1, first=True, last=True).hex()
    'c10002'
    >>> dependency_descriptor(3, 2, first=True, last=True, layers=2, layer=1).hex()
    'c20003'
    """
    if layers not in (1, 2) or layer not in range(layers):
        raise InvalidValueError(f"the layer is {layer} of {layers}; expected 0 of 1, or 0 or 1 of 2")
    if reference is None and layer:
        raise InvalidValueError("a frame of layer 1 refers to no frame; expected one of layer 0")
    bits = _Bits()
    bits.add(1, first)
    bits.add(1, last)
    bits.add(6, 0 if reference is None else 1 + layer)
    bits.add(16, frame & 0xFFFF)
    if reference is None:
        if first:
            _add_structure(bits, size, layers)
        return bits.data()
    back = frame - reference
    if not 1 <= back <= MOST_FRAMES_BACK:
        raise InvalidValueError(f"frame {frame} refers to frame {reference}; expected one of the {MOST_FRAMES_BACK} frames before it")
    # The template of a base frame in two layers names the frame before the last one.
    if back != (2 if layers == 2 and layer == 0 else 1):
        bits.add(5, 0b00010)  # custom_fdiffs_flag alone
        nibbles = 1 if back <= 16 else 2 if back <= 256 else 3
        bits.add(2, nibbles)
        bits.add(4 * nibbles, back - 1)
        bits.add(2, 0)
    return bits.data()


# The indications of the descriptor (DTI): whether a receiver of some layers needs a frame.
_NOT_THERE, _DISCARDABLE, _SWITCH = 0, 1, 2


def _add_structure(bits: _Bits, size: "Optional[tuple[int, int]]", layers: int) -> None:
    """Adds the templates: 0 has no reference; 1 is a frame of layer 0, and 2 one of layer 1, each with the usual reference."""
    bits.add(5, 0b10000)  # template_dependency_structure_present_flag alone
    bits.add(6, 0)  # template_id_offset
    bits.add(5, layers - 1)  # dt_cnt_minus_one
    bits.add(2, 0)  # template 1 is in the layer of template 0
    if layers == 2:
        bits.add(2, 1)  # template 2 is in the next temporal layer
    bits.add(2, 3)  # no more templates
    indications = [[_SWITCH], [_SWITCH]] if layers == 1 else [[_SWITCH, _SWITCH], [_SWITCH, _SWITCH], [_NOT_THERE, _DISCARDABLE]]
    for template in indications:
        for indication in template:
            bits.add(2, indication)
    for distance in [None, layers, 1][: layers + 1]:
        if distance is not None:
            bits.add(1, 1)
            bits.add(4, distance - 1)
        bits.add(1, 0)  # no more references
    if layers == 1:
        bits.add(1, 0)  # chain_cnt: none; ns(2)
    else:
        bits.add(1, 0)  # chain_cnt: none; ns(3)
    bits.add(1, size is not None)
    if size is not None:
        for length, name in zip(size, ("width", "height")):
            if not 1 <= length <= 65_536:
                raise InvalidValueError(f"the {name} is {length}; expected 1 to 65536")
            bits.add(16, length - 1)
