/**
 * @file
 * Setting and reading the properties of a compression session.
 *
 * Keys are strings with VideoToolbox's spelling. Nalu's own keys begin with "Nalu", x264's with
 * "x264.". The macros are in the headers of nalu/properties/, by subject. docs/properties.md lists
 * all properties, and the VideoToolbox keys that are not supported, each with the reason.
 *
 * A session never accepts a property and then ignores it. It refuses a property that it cannot
 * apply, with a status. The comment of each property has these lines:
 *
 * - Type: the type to set and read it with: bool, integer, double, string or numbers
 * - Unit: the unit of the value
 * - Range: the accepted values; others are refused with NALU_STATUS_OUT_OF_RANGE
 * - Default: the value when the property is not set. Reading a property that is unset and has no
 *   value yet returns NALU_STATUS_VALUE_NOT_AVAILABLE
 * - Takes effect: "before opening": the property is set before the first frame is accepted, or the
 *   first pass begins; later it is refused with NALU_STATUS_TOO_LATE. "next frame": it can be set
 *   at any time and applies to the next frame handed in and later ones; that frame becomes a key
 *   frame only if the line states this
 * - Available: for properties that can only be read: when they have a value
 *
 * A property "excludes" another one if a session refuses both together, with NALU_STATUS_CONFLICT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PROPERTIES_H
#define NALU_PROPERTIES_H

#include "base.h"
#include "properties/delay.h"
#include "properties/encoder.h"
#include "properties/layers.h"
#include "properties/picture.h"
#include "properties/rate.h"
#include "properties/read_only.h"
#include "properties/recovery.h"
#include "properties/structure.h"
#include "session.h"

NALU_BEGIN_DECLS

/* ---- Setting -------------------------------------------------------------------------------- */

/** @{ */
/**
 * Sets one property. The function's name states the type of the value.
 *
 * A double property also accepts an integer; an integer property accepts a whole double; a bool
 * property accepts the integers 0 and 1; a string property accepts an integer if its Type line
 * states this.
 *
 * - key: one of the NALU_PROPERTY_ macros.
 * - value: for bool, 0 is false and anything else is true. Strings are copied.
 * - values, count: copied; values may be NULL if count is 0.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and nothing is changed:
 * @retval NALU_STATUS_PROPERTY_NOT_SUPPORTED the key is unknown, or one of VideoToolbox's that is
 *   not supported; the error message has the reason
 * @retval NALU_STATUS_PROPERTY_READ_ONLY the property cannot be set
 * @retval NALU_STATUS_WRONG_TYPE the property has another type
 * @retval NALU_STATUS_OUT_OF_RANGE the value is outside the range, NaN or infinite
 * @retval NALU_STATUS_CONFLICT the value contradicts another property
 * @retval NALU_STATUS_TOO_LATE a frame was accepted, or a pass has begun, and the property cannot
 *   change
 * @par Threading
 * A change after nalu_compression_session_prepare and before the first frame waits until the
 * encoder is closed. No callback runs meanwhile.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_int64(nalu_compression_session *session,
    const char *key, int64_t value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_double(nalu_compression_session *session,
    const char *key, double value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_bool(nalu_compression_session *session,
    const char *key, int32_t value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_string(nalu_compression_session *session,
    const char *key, const char *value);
NALU_API NALU_NODISCARD nalu_status nalu_session_set_numbers(nalu_compression_session *session,
    const char *key, const double *values, size_t count);
/** @} */

/**
 * Restores the default of one property.
 *
 * @return the statuses of nalu_session_set_int64.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_unset_property(nalu_compression_session *session,
    const char *key);

/** The types of properties. */
enum {
    NALU_PROPERTY_TYPE_BOOL = 1,
    NALU_PROPERTY_TYPE_INT64 = 2,
    NALU_PROPERTY_TYPE_DOUBLE = 3,
    NALU_PROPERTY_TYPE_STRING = 4,
    NALU_PROPERTY_TYPE_NUMBERS = 5,
    /** Restores the default; only in nalu_property. */
    NALU_PROPERTY_TYPE_UNSET = 6
};

/** A property and its value, for nalu_session_set_properties. The layout never changes. */
typedef struct nalu_property {
    const char *key;       /**< NALU_PROPERTY_... */
    int32_t type;          /**< NALU_PROPERTY_TYPE_...: which of the values below is read */
    uint32_t number_count; /**< for NUMBERS: how many */
    int64_t integer;       /**< for BOOL and INT64 */
    double number;         /**< for DOUBLE */
    const char *string;    /**< for STRING */
    const double *numbers; /**< for NUMBERS */
} nalu_property;

/**
 * Sets several properties at once: all of them, or none if the function fails.
 *
 * Conflicts are checked after all properties are set, so their order does not matter.
 *
 * @param properties may be NULL if count is 0.
 * @param count at most 4096, else NALU_STATUS_PARAMETER.
 * @return the statuses of nalu_session_set_int64; the error message names the key that failed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_properties(nalu_compression_session *session,
    const nalu_property *properties, size_t count);

/* ---- Reading -------------------------------------------------------------------------------- */

/** @{ */
/**
 * Reads one property. The function's name states the type of the value.
 *
 * Integers and doubles convert into each other if the result is exact; a bool converts to the
 * integer 0 or 1.
 *
 * - value_out: not changed on failure.
 * - buffer, capacity, size_out: see BUFFERS in base.h.
 * - values, capacity, count_out: see BUFFERS in base.h; counted in numbers.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the property has no value now
 * @retval NALU_STATUS_PROPERTY_NOT_SUPPORTED the key is unknown or not supported
 * @retval NALU_STATUS_WRONG_TYPE the property has another type
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_get_int64(nalu_compression_session *session,
    const char *key, int64_t *value_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_get_double(nalu_compression_session *session,
    const char *key, double *value_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_get_bool(nalu_compression_session *session,
    const char *key, int32_t *value_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_string(nalu_compression_session *session,
    const char *key, char *buffer, size_t capacity, size_t *size_out);
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_numbers(nalu_compression_session *session,
    const char *key, double *values, size_t capacity, size_t *count_out);
/** @} */

/* ---- As text -------------------------------------------------------------------------------- */

/**
 * Sets properties from text: all of them, or none if the function fails.
 *
 * @verbatim
 * AverageBitRate=2000000,RealTime=true,DataRateLimits=[375000,1],x264.params="qpmin=10"
 * @endverbatim
 *
 * true and false are bools, and unset restores the default. A number without a point or exponent is
 * an integer. A string that is not a single word needs double quotes, with a backslash before each
 * quote and backslash in it. Each key may occur once. White space between the tokens has no
 * meaning. The decimal separator is a point in every locale. docs/property-text.md has the grammar.
 *
 * @param text UTF-8; "" sets nothing.
 * @return the statuses of nalu_session_set_int64, or one of these; the error message contains the
 *   position in bytes:
 * @retval NALU_STATUS_PARAMETER the text does not follow the grammar
 * @retval NALU_STATUS_OUT_OF_RANGE a number does not fit
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_properties_from_text(
    nalu_compression_session *session, const char *text);

/**
 * Copies the properties that differ from their default, as text.
 *
 * A new session of the same size has the same properties after this text is set; doubles are the
 * same bit for bit. The order is that of nalu_property_get_key. The text is "" if every property
 * has its default.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_copy_properties_as_text(
    nalu_compression_session *session, char *buffer, size_t capacity, size_t *size_out);

/** Receives one setting of a text. property and its strings are valid during the call only. */
typedef void (*nalu_property_callback)(void *refcon, const nalu_property *property);

/**
 * Reads a text of properties without a session, for example the value of
 * NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES. Keys and values are not compared with the catalogue.
 *
 * @param text UTF-8, in the grammar of nalu_session_set_properties_from_text.
 * @param visitor is called once for each setting, in the order of the text. If the function fails,
 *   it is not called.
 * @param refcon passed to visitor.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER the text does not follow the grammar
 * @retval NALU_STATUS_OUT_OF_RANGE a number does not fit
 */
NALU_API NALU_NODISCARD nalu_status nalu_property_text_read(const char *text,
    nalu_property_callback visitor, void *refcon);

/* ---- Presets -------------------------------------------------------------------------------- */

/**
 * Sets the properties of a preset: all of them, or none if the function fails.
 *
 * Set the preset first and other properties after it.
 *
 * @param preset one of the NALU_COMPRESSION_PRESET_ macros, or a value of
 *   NALU_PROPERTY_X264_PRESET, which sets that property alone.
 * @return the statuses of nalu_session_set_int64, or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such preset
 */
NALU_API NALU_NODISCARD nalu_status nalu_session_set_preset(nalu_compression_session *session,
    const char *preset);

/* ---- Introspection -------------------------------------------------------------------------- */

/** Returns the number of properties. */
NALU_API uint32_t nalu_property_get_count(void);

/** Returns the key of a property; NULL beyond the last property. Static storage. */
NALU_API const char *nalu_property_get_key(uint32_t index);

/**
 * Returns 1 if the session's encoder has a property, else 0; also 0 for an unknown key and NULL.
 * An encoder without a property accepts at most the value that describes what it does, and refuses
 * other values with NALU_STATUS_PROPERTY_NOT_SUPPORTED.
 */
NALU_API int32_t nalu_session_has_property(const nalu_compression_session *session,
    const char *key);

/** The description of a property. Strings have static storage. */
typedef struct nalu_property_info {
    uint32_t struct_size;         /**< sizeof(nalu_property_info), set by the caller */
    int32_t type;                 /**< NALU_PROPERTY_TYPE_BOOL to NALU_PROPERTY_TYPE_NUMBERS */
    int32_t writable;             /**< 1: can be set */
    int32_t live;                 /**< 1: can change while encoding ("next frame") */
    double minimum;               /**< of each number or code; NaN if there is no range */
    double maximum;
    uint32_t allowed_value_count; /**< strings with a list; see nalu_property_get_allowed_value */
    uint32_t reserved;            /**< 0 */
    const char *default_value;    /**< as text; "" if unset */
    const char *documentation;    /**< one or two sentences */
} nalu_property_info;

/**
 * Describes a property.
 *
 * @param info struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PROPERTY_NOT_SUPPORTED the key is unknown
 */
NALU_API NALU_NODISCARD nalu_status nalu_property_get_info(const char *key,
    nalu_property_info *info);

/**
 * Returns one of the strings that a property accepts; NULL beyond the last and for an unknown key.
 * Static storage.
 */
NALU_API const char *nalu_property_get_allowed_value(const char *key, uint32_t index);

NALU_END_DECLS

#endif
