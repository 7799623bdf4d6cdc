"""Comparison of the ctypes mirror with the C headers, by the C compiler and by parsing them."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess

import pytest
from conftest import INCLUDE

from nalu import _ffi, formats
from nalu.media import _ffi as _media

HEADERS = "".join(path.read_text() for path in sorted(INCLUDE.glob("nalu/**/*.h")))
STRUCTS = {**_ffi.STRUCTS, **_media.STRUCTS}
PROTOTYPES = {**_ffi.PROTOTYPES, **_media.PROTOTYPES}
BARE = re.sub(r"/\*.*?\*/", "", HEADERS, flags=re.S)


#: The opaque types in the headers, and those that the mirror has.
HANDLES = set(re.findall(r"typedef struct (nalu_\w+) \1;", BARE))
OPAQUE = {
    each._type_
    for module in (_ffi, _media)
    for each in vars(module).values()
    if isinstance(getattr(each, "_type_", None), type) and issubclass(each._type_, _ffi.Opaque)
}


def run_c(directory, lines: list[str]) -> str:
    """Returns the output of a C program with these statements."""
    source, program = directory / "layout.c", directory / "layout"
    body = "\n".join(lines)
    source.write_text(f"#include <nalu/media.h>\n#include <stdio.h>\nint main(void) {{\n{body}\nreturn 0;\n}}\n")
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-std=c11", "-I", str(INCLUDE), str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


def fields_in_c(struct: str) -> list[str]:
    body = re.search(r"typedef struct %s \{(.*?)\}" % struct, BARE, re.S)
    assert body, struct
    declarators = [each for line in body[1].split(";") for each in line.split(",") if each.strip()]
    return [re.search(r"(\w+)\s*(\[\w+\])?\s*$", each)[1] for each in declarators]


def test_every_struct_has_the_size_and_offsets_of_c(tmp_path):
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field in struct._fields_:
            place = f'offsetof({name}, {field[0]}), sizeof((({name} *)0)->{field[0]})'
            lines.append(f'printf("{name}.{field[0]} %zu %zu\\n", {place});')
    expected = []
    for name, struct in STRUCTS.items():
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        expected += [f"{name}.{f[0]} {getattr(struct, f[0]).offset} {getattr(struct, f[0]).size}" for f in struct._fields_]
    assert run_c(tmp_path, lines).splitlines() == expected


@pytest.mark.parametrize("name", STRUCTS)
def test_every_struct_has_the_fields_of_the_header(name):
    assert [field[0] for field in STRUCTS[name]._fields_] == fields_in_c(name)


def test_every_struct_of_the_package_is_compared():
    for module in (_ffi, _media):
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        own = [each for each in classes if each.__module__ == module.__name__]
        structs = {each for each in own if issubclass(each, ctypes.Structure) and not issubclass(each, _ffi.Opaque)}
        assert {each.__name__ for each in structs} == set(module.STRUCTS)


def test_constants_equal_those_of_the_headers(tmp_path):
    names = {**vars(_ffi), **vars(_media)}
    spelling = {
        **{name: f"NALU_STATUS_{name}" for name in names if f"NALU_STATUS_{name} " in HEADERS},
        **{name: f"NALU_PROPERTY_{name}" for name in names if name.startswith("TYPE_")},
    }
    for name, value in names.items():
        if name.isupper() and isinstance(value, int):
            spelling.setdefault(name, f"NALU_{name}")
    output = run_c(tmp_path, [f'printf("{name} %lld\\n", (long long){c});' for name, c in spelling.items()])
    assert output.splitlines() == [f"{name} {names[name]}" for name in spelling]
    assert len(spelling) > 15


def test_every_pixel_format_has_a_name():
    codes = {int(code, 16) for code in re.findall(r"define NALU_PIXEL_FORMAT_\w+ \(\(nalu_pixel_format\)(0x\w+)u\)", HEADERS)}
    assert {format.code for format in formats.FORMATS.values()} == codes
    assert len(codes) == 29


def c_kind(text: str) -> str:
    """Returns a C type in the form that the mirror can express."""
    text = re.sub(r"\*\s*\bconst\b\s*", "*", text)
    text = re.sub(r"\bconst\b", "", text).strip()
    handle = re.match(r"(nalu_\w+) (\*+)", text)
    if handle and handle[1] in HANDLES:
        return handle[1] + handle[2]
    if "*" in text or "callback" in text or "destructor" in text:
        return "pointer"
    word = re.sub(r"\s+\w+$", "", text) if " " in text else text
    return {
        "nalu_status": "int32_t",
        "nalu_four_char_code": "uint32_t",
        "nalu_pixel_format": "uint32_t",
        "nalu_encode_info_flags": "uint32_t",
        "size_t": python_kind(ctypes.c_size_t),
    }.get(word, word)


def python_kind(kind) -> str:
    if kind is None:
        return "void"
    pointee = getattr(kind, "_type_", None)
    if isinstance(pointee, type) and issubclass(pointee, _ffi.Opaque):
        return f"{pointee.__name__}*"
    if getattr(pointee, "_type_", None) in OPAQUE:
        return f"{pointee._type_.__name__}**"
    for name in ("int32", "uint32", "int64", "uint64", "double"):
        if kind is getattr(ctypes, f"c_{name}", None):
            return name if name == "double" else f"{name}_t"
    return kind.__name__ if kind is _ffi.nalu_time else "pointer"


@pytest.mark.parametrize("name", PROTOTYPES)
def test_every_prototype_matches_the_header(name):
    declared = re.search(r"NALU_API (?:NALU_NODISCARD )?([\w\s*]+?)\b%s\((.*?)\);" % name, BARE, re.S)
    assert declared, "no such function in the headers"
    result, arguments = PROTOTYPES[name]
    in_c = [] if declared[2].strip() == "void" else declared[2].split(",")
    assert [python_kind(argument) for argument in arguments] == [c_kind(" ".join(argument.split())) for argument in in_c]
    assert python_kind(result) == c_kind(declared[1] + ("" if "*" in declared[1] else " x"))


def test_a_handle_of_another_kind_is_refused():
    with pytest.raises(ctypes.ArgumentError):
        _ffi.fast.nalu_sample_get_nal_count(_ffi.nalu_pixel_buffer_p())
    with pytest.raises(ctypes.ArgumentError):
        _ffi.fast.nalu_sample_get_nal_count(1)
    assert {each.__name__ for each in OPAQUE} <= HANDLES
