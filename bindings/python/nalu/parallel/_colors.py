"""Colour as a stream states it, as properties of the session that encodes it again."""

from __future__ import annotations

from ..bitstream import SequenceInfo
from ..properties import PropertyValue

#: The numbers of ITU-T H.273 that have a property's value.
_PRIMARIES = {1: "ITU_R_709_2", 5: "EBU_3213", 6: "SMPTE_C", 9: "ITU_R_2020", 12: "P3_D65"}
_TRANSFERS = {
    1: "ITU_R_709_2", 7: "SMPTE_240M_1995", 8: "Linear", 13: "IEC_sRGB", 14: "ITU_R_2020", 16: "SMPTE_ST_2084_PQ",
    18: "ITU_R_2100_HLG",
}  # fmt: skip
_MATRICES = {1: "ITU_R_709_2", 6: "ITU_R_601_4", 7: "SMPTE_240M_1995", 9: "ITU_R_2020"}
#: And those that x264 alone has a name for; "undef" states that the colour is unspecified.
_X264_PRIMARIES = {2: "undef", 4: "bt470m", 7: "smpte240m", 8: "film", 10: "smpte428", 11: "smpte431"}
_X264_TRANSFERS = {
    2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 9: "log100", 10: "log316", 11: "iec61966-2-4",
    12: "bt1361e", 15: "bt2020-12", 17: "smpte428",
}  # fmt: skip
_X264_MATRICES = {
    2: "undef", 4: "fcc", 5: "bt470bg", 8: "YCgCo", 10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc", 13: "chroma-derived-c",
    14: "ICtCp",
}  # fmt: skip


def properties(sequence: SequenceInfo) -> dict[str, PropertyValue]:
    """What the session of a stream with this SPS is given."""
    found: dict[str, PropertyValue] = {}
    for key, names, _, _, number in _rows(sequence):
        if number in names:
            found[key] = names[number]
    return found


def options(sequence: SequenceInfo) -> "tuple[tuple[str, str], ...]":
    """Options of x264 for what has no property's value, each after the property that takes its place."""
    found = [(key, f"{option}={others[number]}") for key, names, option, others, number in _rows(sequence) if number in others]
    # Saying nothing means 0.
    if sequence.chroma_location > 0:
        found.append(("", f"chromaloc={sequence.chroma_location}"))
    return tuple(found)


def _rows(sequence: SequenceInfo) -> "tuple[tuple[str, dict[int, str], str, dict[int, str], int], ...]":
    return (
        ("ColorPrimaries", _PRIMARIES, "colorprim", _X264_PRIMARIES, sequence.color_primaries),
        ("TransferFunction", _TRANSFERS, "transfer", _X264_TRANSFERS, sequence.transfer_characteristics),
        ("YCbCrMatrix", _MATRICES, "colormatrix", _X264_MATRICES, sequence.matrix_coefficients),
    )
