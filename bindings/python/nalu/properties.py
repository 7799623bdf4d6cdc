"""The catalogue of properties, and the property values of one session."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _ffi
from ._handles import check, encoded, text
from .errors import InvalidValueError, WrongTypeError

if TYPE_CHECKING:
    from .session import CompressionSession

#: The value of a property; None means "not set".
PropertyValue = Union[bool, int, float, str, list[float], None]

_TYPES = {
    _ffi.TYPE_BOOL: "bool",
    _ffi.TYPE_INT64: "int",
    _ffi.TYPE_DOUBLE: "float",
    _ffi.TYPE_STRING: "str",
    _ffi.TYPE_NUMBERS: "list of float",
}


class PropertyInfo(NamedTuple):
    """The description of a property."""

    name: str
    #: "bool", "int", "float", "str" or "list of float".
    type: str
    #: The minimum and the maximum; None without a range.
    range: Optional[tuple[float, float]]
    #: The accepted strings; empty without a list.
    allowed_values: tuple[str, ...]
    #: The default as text; "" if the property is unset by default.
    default: str
    writable: bool
    #: Whether the property can change while encoding.
    live: bool
    documentation: str


_catalogue: dict[str, PropertyInfo] = {}


def catalogue() -> Mapping[str, PropertyInfo]:
    """Returns all properties, by name.

    >>> catalogue()["AverageBitRate"].live
    True
    >>> catalogue()["AverageBitRate"].range
    (0.0, 2000000000.0)
    """
    global _catalogue
    found = _catalogue
    if not found:
        names = [_ffi.fast.nalu_property_get_key(index) for index in range(_ffi.fast.nalu_property_get_count())]
        # Assigned when it is complete, because other threads read it at the same time.
        _catalogue = found = {name.decode(): _read(name) for name in names}
    return found


def _read(key: bytes) -> PropertyInfo:
    info = _ffi.nalu_property_info(ctypes.sizeof(_ffi.nalu_property_info))
    check(_ffi.fast.nalu_property_get_info(key, ctypes.byref(info)))
    allowed = range(info.allowed_value_count)
    return PropertyInfo(
        name=key.decode(),
        type=_TYPES[info.type],
        range=None if math.isnan(info.minimum) else (info.minimum, info.maximum),
        allowed_values=tuple(_ffi.fast.nalu_property_get_allowed_value(key, index).decode() for index in allowed),
        default=info.default_value.decode(),
        writable=bool(info.writable),
        live=bool(info.live),
        documentation=info.documentation.decode(),
    )


class Properties(MutableMapping[str, PropertyValue]):
    """The properties of one session, as a mapping from the names that its encoder has to their values.

    A value is None if the property is not set and its default depends on the encoder, which is not open yet. Assigning None, or
    ``del``, restores the default. A name that is unknown or not supported raises KeyError with the reason.
    """

    __slots__ = ("_session",)

    def __init__(self, session: "CompressionSession") -> None:
        self._session = session

    def __getitem__(self, name: str) -> PropertyValue:
        read = _READERS[self.info(name).type]
        pointer = self._session._pointer
        try:
            value: PropertyValue = read(pointer, encoded(name, "the property's name"))
            return value
        except _NoValue:
            return None

    def __setitem__(self, name: str, value: PropertyValue) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        self.update({name: None})

    def update(self, *others: Any, **more: Any) -> None:
        """Sets several properties at once: all of them, or none on failure. Conflicts are checked after all are set.

        A single string is read as the text form in properties.h: ``"AverageBitRate=2000000,RealTime=true"``.
        """
        pointer = self._session._pointer
        if others and isinstance(others[0], str):
            (source,) = others
            given = encoded(source, "properties")
            check(_ffi.lib.nalu_session_set_properties_from_text(pointer, given))
            self._session._description.note(_read_text(given))
            others = ()
        values: dict[str, Any] = dict(*others, **more)
        self._set(values)
        self._session._description.note(values)

    def _set(self, values: "Mapping[str, Any]") -> None:
        pointer = self._session._pointer
        kept: list[Any] = []
        natives = [_native(name, value, kept) for name, value in values.items()]
        if natives:
            array = (_ffi.nalu_property * len(natives))(*natives)
            check(_ffi.lib.nalu_session_set_properties(pointer, array, len(natives)))

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in catalogue() if self._has(name)])

    def __len__(self) -> int:
        return sum(map(self._has, catalogue()))

    def _has(self, name: str) -> bool:
        """Whether the session's encoder has the property."""
        number = ctypes.c_int64()
        status = _ffi.lib.nalu_session_get_int64(self._session._pointer, name.encode(), ctypes.byref(number))
        return bool(status != _ffi.PROPERTY_NOT_SUPPORTED)

    def info(self, name: str) -> PropertyInfo:
        """Returns type, range, allowed values, default and documentation of a property."""
        found = catalogue().get(name)
        if found is None:
            # The session's getter fails with the reason why the name is not supported.
            key = encoded(name, "the property's name")
            check(_ffi.lib.nalu_session_get_int64(self._session._pointer, key, ctypes.byref(ctypes.c_int64())))
            raise KeyError(name)
        return found

    @property
    def text(self) -> str:
        """All properties that differ from their default, as text for ``update`` of a session of the same size."""
        pointer = self._session._pointer
        copy = _ffi.lib.nalu_session_copy_properties_as_text
        return text(lambda buffer, capacity, size: copy(pointer, buffer, capacity, size))

    def __repr__(self) -> str:
        return f"<Properties {self.text}>"


# ---- Reading ---------------------------------------------------------------------------------------------------


#: Presets for ``preset=`` of a session, each a set of properties; SupportedPresetDictionaries lists the properties.
PRESETS = ("HighQuality", "Balanced", "HighSpeed", "VideoConferencing")


def set_preset(session: int, name: str) -> None:
    """Sets the properties of a preset. ``session``: a session's handle."""
    check(_ffi.lib.nalu_session_set_preset(session, encoded(name, "preset")))


class _NoValue(Exception):
    """Raised if the property has no value now."""


def _read_check(status: int) -> None:
    if status == _ffi.VALUE_NOT_AVAILABLE:
        raise _NoValue
    check(status)


def _scalar(function: Any, storage: Any) -> Any:
    def read(pointer: int, key: bytes) -> Any:
        value = storage()
        _read_check(function(pointer, key, ctypes.byref(value)))
        return value.value

    return read


def _read_bool(pointer: int, key: bytes) -> bool:
    return bool(_scalar(_ffi.lib.nalu_session_get_bool, ctypes.c_int32)(pointer, key))


def _read_string(pointer: int, key: bytes) -> str:
    def copy(buffer: Any, capacity: int, size: Any) -> int:
        status = int(_ffi.lib.nalu_session_copy_string(pointer, key, buffer, capacity, size))
        if status == _ffi.VALUE_NOT_AVAILABLE:
            raise _NoValue
        return status

    return text(copy)


def _read_numbers(pointer: int, key: bytes) -> list[float]:
    count = ctypes.c_size_t(16)
    while True:
        numbers = (ctypes.c_double * count.value)()
        status = _ffi.lib.nalu_session_copy_numbers(pointer, key, numbers, len(numbers), ctypes.byref(count))
        if status != _ffi.BUFFER_TOO_SMALL:
            _read_check(status)
            return list(numbers[: count.value])


def _read_text(given: bytes) -> "dict[str, Optional[str]]":
    """Returns the names in the text form of properties, with the values of those that are strings."""
    values: "dict[str, Optional[str]]" = {}

    def note(refcon: Any, setting: Any) -> None:
        string = setting[0].string
        values[setting[0].key.decode("utf-8", "replace")] = None if string is None else string.decode("utf-8", "replace")

    function = _ffi.property_callback(note)
    check(_ffi.lib.nalu_property_text_read(given, ctypes.cast(function, ctypes.c_void_p), None))
    return values


_READERS: dict[str, Any] = {
    "bool": _read_bool,
    "int": _scalar(_ffi.lib.nalu_session_get_int64, ctypes.c_int64),
    "float": _scalar(_ffi.lib.nalu_session_get_double, ctypes.c_double),
    "str": _read_string,
    "list of float": _read_numbers,
}

# ---- Writing ---------------------------------------------------------------------------------------------------


def _native(name: str, value: Any, kept: list[Any]) -> "_ffi.nalu_property":
    """Returns a property for nalu_session_set_properties. ``kept`` receives the objects that must live as long as the
    property."""
    key = encoded(name, "the property's name")
    result = _ffi.nalu_property(key=key)
    kept.append(key)
    if hasattr(value, "tolist"):
        # The value is a numpy number or array, or a similar object.
        value = value.tolist()
    if value is None:
        result.type = _ffi.TYPE_UNSET
    elif isinstance(value, bool):
        result.type, result.integer = _ffi.TYPE_BOOL, int(value)
    elif isinstance(value, str):
        string = encoded(value, name)
        kept.append(string)
        result.type, result.string = _ffi.TYPE_STRING, string
    elif hasattr(value, "__index__"):
        number = value.__index__()
        if not -(2**63) <= number < 2**63:
            raise InvalidValueError(f"{name} is {number}; expected -2**63 to 2**63 - 1")
        result.type, result.integer = _ffi.TYPE_INT64, number
    elif hasattr(value, "__iter__"):
        array = _numbers(name, value)
        kept.append(array)
        result.type, result.number_count, result.numbers = _ffi.TYPE_NUMBERS, len(array), array
    elif hasattr(value, "__float__"):
        result.type, result.number = _ffi.TYPE_DOUBLE, float(value)
    else:
        raise WrongTypeError(f"{name} is {type(value).__name__}; expected a bool, a number, a str or a list of numbers")
    return result


def _numbers(name: str, value: Any) -> Any:
    try:
        numbers = [float(each) for each in value]
    except (TypeError, ValueError):
        raise WrongTypeError(f"{name} is {value!r}; expected a list of numbers") from None
    return (ctypes.c_double * len(numbers))(*numbers)


__all__ = ["PRESETS", "Properties", "PropertyInfo", "PropertyValue", "catalogue", "set_preset"]
