"""The addresses of frames' planes, compared with numpy."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import scalar_dtypes

import nalu
from nalu import formats
from nalu.frames import describe

sizes = st.tuples(st.integers(1, 40), st.integers(1, 40))
even_sizes = st.tuples(st.integers(1, 20), st.integers(1, 20)).map(lambda size: (2 * size[0], 2 * size[1]))
packed = st.sampled_from(["rgb", "bgr", "rgba", "bgra", "argb", "abgr"])


def noise(*shape, dtype=np.uint8) -> np.ndarray:
    size = int(np.prod(shape))
    return (np.arange(size, dtype=np.uint64) * 2654435761 % 65521).astype(dtype).reshape(shape)


def plane_bytes(planes, index: int, row_bytes: int, rows: int) -> bytes:
    """Returns the bytes that C would read of a plane, and checks that they lie inside the buffer."""
    stride, size = planes.strides[index], planes.sizes[index]
    assert stride >= row_bytes
    assert (rows - 1) * stride + row_bytes <= size
    return b"".join(ctypes.string_at(planes.pointers[index] + row * stride, row_bytes) for row in range(rows))


def views_of(data, full: np.ndarray):
    """Returns a numpy slice of an array, with the same number of dimensions."""
    kind = data.draw(st.sampled_from(["whole", "cut", "upside down", "mirrored", "every second", "fortran", "repeated"]))
    if kind == "cut":
        return full[full.shape[0] // 3 :, full.shape[1] // 4 : full.shape[1] - full.shape[1] // 4]
    if kind == "upside down":
        return full[::-1]
    if kind == "mirrored":
        return full[:, ::-1]
    if kind == "every second":
        return full[::2, ::2]
    if kind == "fortran":
        return np.asfortranarray(full)
    if kind == "repeated":
        return np.broadcast_to(full[:1], full.shape)
    return full


@given(size=sizes, name=packed, data=st.data())
def test_packed_frames_of_any_strides_are_read_correctly(size, name, data):
    channels = formats.named(name).pixel_bytes
    frame = views_of(data, noise(size[1], size[0], channels))
    assume(frame.size)
    planes = describe(frame, formats.named(name), None)
    assert (planes.height, planes.width) == frame.shape[:2]
    assert plane_bytes(planes, 0, frame.shape[1] * channels, frame.shape[0]) == frame.tobytes()
    planes.release()


@given(size=sizes, data=st.data())
def test_grey_frames_of_any_strides_are_read_correctly(size, data):
    frame = views_of(data, noise(size[1], size[0]))
    assume(frame.size)
    planes = describe(frame, formats.named("gray"), None)
    assert plane_bytes(planes, 0, frame.shape[1], frame.shape[0]) == frame.tobytes()
    planes.release()


@given(size=even_sizes, name=st.sampled_from(["nv12", "i420", "p010"]), gap=st.integers(0, 3))
def test_planar_frames_in_one_array_are_split_into_planes(size, name, gap):
    width, height = size
    format = formats.named(name)
    dtype = np.uint16 if format.item_bytes == 2 else np.uint8
    frame = noise(height * 3 // 2, width + gap, dtype=dtype)[:, :width]
    planes = describe(frame, format, None)
    item = format.item_bytes
    assert (planes.width, planes.height) == (width, height)
    assert plane_bytes(planes, 0, width * item, height) == frame[:height].tobytes()
    if format.planes == 2:
        assert plane_bytes(planes, 1, width * item, height // 2) == frame[height:].tobytes()
    else:
        chroma = frame[height:].tobytes()
        both = [plane_bytes(planes, index, width // 2, height // 2) for index in (1, 2)]
        assert b"".join(both) == chroma
    planes.release()


@given(size=sizes, name=st.sampled_from(["nv12", "i420", "p010"]), gap=st.integers(0, 3))
def test_separate_planes_of_any_size_and_stride_are_read_correctly(size, name, gap):
    width, height = size
    format = formats.named(name)
    dtype = np.uint16 if format.item_bytes == 2 else np.uint8
    wide, high = (width + 1) // 2, (height + 1) // 2
    chroma_width = wide * 2 if format.planes == 2 else wide
    parts = [noise(height, width + gap, dtype=dtype)[:, :width]]
    parts += [noise(high, chroma_width + gap, dtype=dtype)[:, :chroma_width] for _ in range(format.planes - 1)]
    planes = describe(tuple(parts), format, None)
    for index, part in enumerate(parts):
        assert plane_bytes(planes, index, part.shape[1] * format.item_bytes, part.shape[0]) == part.tobytes()
    planes.release()


@given(size=sizes, name=st.sampled_from(sorted({format.name for format in formats.FORMATS.values()})))
def test_flat_bytes_of_any_size_are_split_into_planes(size, name):
    width, height = size
    format = formats.named(name)
    wide = width if name[:4] in ("nv24", "p410", "p416") else (width + 1) // 2
    high = (height + 1) // 2 if name[:4] in ("nv12", "i420", "p010", "p016") else height
    if format.planes == 1:
        rows = [(4 * wide if format.has_pairs else width * format.pixel_bytes, height)]
    elif format.planes == 2:
        rows = [(width * format.item_bytes, height), (2 * wide * format.item_bytes, high)]
    else:
        rows = [(width, height), (wide, high), (wide, high)]
    frame = noise(sum(row * count for row, count in rows)).tobytes()
    planes = describe(frame, format, size)
    read = b"".join(plane_bytes(planes, index, *rows[index]) for index in range(format.planes))
    assert read == frame
    planes.release()


def test_a_region_of_an_array_is_not_copied():
    whole = noise(100, 200, 3)
    view = whole[10:50, 20:120]
    planes = describe(view, None, None)
    assert planes.pointers[0] == view.ctypes.data
    assert planes.strides[0] == 600
    planes.release()


@pytest.mark.parametrize(
    "frame",
    [
        bytes(48),
        bytearray(48),
        memoryview(bytes(48)),
        array.array("B", bytes(48)),
        (ctypes.c_uint8 * 48)(),
        np.zeros(48, np.uint8),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_any_object_with_the_buffer_protocol_is_a_frame(frame):
    if isinstance(frame, ctypes.Array):
        frame = memoryview(frame).cast("B")
    planes = describe(frame, formats.named("rgb"), (4, 4))
    assert plane_bytes(planes, 0, 12, 4) == bytes(48)
    planes.release()


def test_a_ctypes_array_is_a_frame():
    planes = describe((ctypes.c_uint8 * 48)(), formats.named("rgb"), (4, 4))
    planes.release()


def test_flat_bytes_with_gaps_are_copied():
    frame = memoryview(noise(32).tobytes())[::2]
    planes = describe(frame, formats.named("gray"), (4, 4))
    assert plane_bytes(planes, 0, 4, 4) == frame.tobytes()
    planes.release()


def test_an_object_with_only_an_array_interface_is_a_frame():
    class Image:
        def __init__(self, pixels):
            self.__array_interface__ = pixels.__array_interface__
            self.pixels = pixels

    frame = noise(8, 6, 3)
    planes = describe(Image(frame), None, None)
    assert planes.format.name == "rgb"
    assert plane_bytes(planes, 0, 18, 8) == frame.tobytes()
    planes.release()


def test_the_frames_memory_is_locked_until_release():
    frame = bytearray(48)
    planes = describe(frame, formats.named("rgb"), (4, 4))
    with pytest.raises(BufferError):
        frame.append(0)
    planes.release()
    frame.append(0)


def test_the_frames_memory_is_unlocked_after_an_error():
    frame = bytearray(47)
    with pytest.raises(ValueError):
        describe(frame, formats.named("rgb"), (4, 4))
    frame.append(0)


MISTAKES = [
    (np.full((48, 64, 3), 255.0), None, ValueError, "floats of 255 to 255", "frame.clip(0, 255).astype('uint8')"),
    (np.full((48, 64, 3), np.nan), None, ValueError, "floats of nan", "expected 0 to 1"),
    (np.zeros((72, 64), np.float32), "nv12", TypeError, "'f'", "dtype uint8"),
    (np.zeros((48, 64, 3), np.int32), None, TypeError, "'i'", "frame.astype('uint8')"),
    (np.zeros((48, 64, 3), np.int8), None, TypeError, "'b'", "frame.astype('uint8')"),
    (np.zeros((48, 64, 3), bool), None, TypeError, "'?'", "(frame * 255).astype"),
    (np.zeros((72, 64), ">u2"), "p010", TypeError, "'>H'", "native byte order"),
    ((np.zeros((48, 64), np.uint16), np.zeros((24, 64), np.uint8)), None, TypeError, "'nv12' has uint8", "(frame >> 8)"),
    (np.zeros((72, 64), np.uint8), "p010", TypeError, "uint8", "uint16"),
    (np.zeros((72, 64), np.uint8), None, ValueError, "(72, 64)", "'nv12' or 'i420'"),
    (np.zeros((2, 48, 64), np.uint8), None, ValueError, "(2, 48, 64)", "format="),
    (np.zeros((48, 64, 2), np.uint8), None, ValueError, "(48, 64, 2)", "format="),
    (np.zeros((48, 64, 3), np.uint8), "bgra", ValueError, "(48, 64, 3)", "(height, width, 4)"),
    (np.zeros((48, 64, 4), np.uint8), "bgr", ValueError, "(48, 64, 4)", "(height, width, 3)"),
    (np.zeros((48, 64, 3), np.uint8), "nv12", ValueError, "(48, 64, 3)", "height * 3 / 2"),
    (np.zeros((71, 64), np.uint8), "nv12", ValueError, "(71, 64)", "height * 3 / 2"),
    (np.zeros((0, 64, 3), np.uint8), None, ValueError, "empty", "(0, 64, 3)"),
    (bytes(100), "rgb", ValueError, "100 bytes", "9216"),
    (b"", "rgb", ValueError, "empty", "(0,)"),
    ((bytes(4),), "nv12", ValueError, "1 planes", "2"),
    ((np.zeros((48, 64), np.uint8), np.zeros((24, 63), np.uint8)), None, ValueError, "(24, 63)", "(24, 64)"),
    ((bytes(4), bytes(4)), None, ValueError, "plane 0", "(height, width)"),
    ([[1, 2], [3, 4]], None, TypeError, "plane 0 is list", "buffer protocol"),
    (np.zeros((48, 64, 3, 1), np.uint8), None, ValueError, "(48, 64, 3, 1)", "format="),
    ("frame", None, TypeError, "str", "buffer protocol"),
    (None, None, TypeError, "NoneType", "buffer protocol"),
    (12, None, TypeError, "int", "buffer protocol"),
]


@pytest.mark.parametrize("frame, name, kind, given_part, expected_part", MISTAKES)
def test_a_wrong_frame_raises_one_clear_error_message(frame, name, kind, given_part, expected_part):
    with nalu.CompressionSession(64, 48, frame_rate=25) as session:
        with pytest.raises(nalu.Error) as caught:
            session.encode(frame, format=name)
        assert isinstance(caught.value, kind)
        sentence = str(caught.value)
        assert given_part in sentence and expected_part in sentence
        assert "\n" not in sentence and not sentence.endswith(".")
        assert session.statistics.accepted_frames == 0


@given(
    dtype=st.one_of(scalar_dtypes(), st.sampled_from(["O", "V4", "c8", [("r", "u1"), ("g", "u1"), ("b", "u1")]]).map(np.dtype)),
    name=st.sampled_from(["rgb", "gray", "p010"]),
)
def test_any_dtype_is_converted_or_raises_one_clear_error_message(dtype, name):
    format = formats.named(name)
    shape = {"rgb": (6, 4, 3), "gray": (6, 4), "p010": (6, 4)}[name]
    # RGB and grey also accept floats of 0 to 1, and uint16, of which they use the upper 8 bits.
    is_right = dtype == np.uint16 if name == "p010" else dtype.kind == "f" or dtype in (np.uint8, np.uint16, np.dtype(">u2"))
    try:
        describe(np.zeros(shape, dtype), format, None).release()
    except nalu.WrongTypeError as error:
        assert not is_right
        assert "\n" not in str(error) and ("dtype" in str(error) or "cannot be read as an array" in str(error))
    else:
        assert is_right


def test_the_error_of_a_failed_array_conversion_has_its_reason():
    class Tensor:
        def __array__(self, *arguments, **settings):
            raise RuntimeError("it is on the graphics card")

    with pytest.raises(nalu.WrongTypeError, match="the frame is Tensor, which cannot be read .*: it is on the graphics card"):
        describe(Tensor(), None, None)


def test_the_error_for_an_unknown_format_lists_all_formats():
    with pytest.raises(ValueError, match="format is 'rgb48'; expected one of rgb, bgr, .*p010"):
        nalu.CompressionSession(64, 48, format="rgb48")
