/* The table of compression properties. A property without a row has the key, the type and the values of the libnalu
 * property of the same name. */
#ifndef NALU_VT_PROPERTIES_H
#define NALU_VT_PROPERTIES_H

#include "deferred_properties.h"
#include "property_values.h"

/* Names of properties that programs write as text: VideoToolbox has no constants for them. */
extern const CFStringRef nalu_chroma_location_top;
extern const CFStringRef nalu_chroma_location_bottom;

enum {
    /* The session stores the client's value, and returns it. */
    NALU_PROPERTY_IS_KEPT = 1 << 0,
    /* libnalu fixes the property when it opens, and programs change it between frames: another encoder takes over. */
    NALU_PROPERTY_REPLACES_ENCODER = 1 << 1,
    /* A deferred property whose value in the stream is returned, and not the client's. */
    NALU_PROPERTY_READS_STREAM = 1 << 2,
    /* The stream's chroma location depends on the property. */
    NALU_PROPERTY_LOCATES_CHROMA = 1 << 3,
    /* The format descriptions of samples depend on the property. Properties with an extension need no flag. */
    NALU_PROPERTY_DESCRIBES_SAMPLES = 1 << 4,
};

struct nalu_property_row {
    const CFStringRef *key; /* NULL: the text is `name` */
    const char *name;       /* libnalu's property; NULL if it has none */
    enum nalu_deferred deferred;
    unsigned flags;
    int64_t most;             /* greater integers become this number; 0: no limit */
    CFTypeID (*type)(void);   /* the type of a value to set; NULL: that of libnalu's property */
    nalu_value_reader *read;  /* NULL: nalu_value_read */
    nalu_value_copier *copy;  /* NULL: nalu_value_copy */
    struct nalu_value_form form;
    unsigned colour;               /* 0, or the number of a colour that the first frame provides if it is not set */
    const CFStringRef *attachment; /* the frame's attachment with this colour; NULL if another row has it */
    const CFStringRef *extension;  /* of the format descriptions of samples; NULL: none */
};

/* Returns the row of a key; NULL for an unknown key. `plain` becomes the row of a property without one, and is returned
 * then. */
const struct nalu_property_row *nalu_property_of_key(CFStringRef key, struct nalu_property_row *plain);

/* The same for the name of a libnalu property. */
const struct nalu_property_row *nalu_property_of_name(const char *name, struct nalu_property_row *plain);

/* Returns the row of a deferred property. */
const struct nalu_property_row *nalu_property_of_deferred(enum nalu_deferred deferred);

/* Returns the row at `index`, counted from 0, or NULL after the last. */
const struct nalu_property_row *nalu_property_at(size_t index);

/* Returns true for a key of the encoder specification. Programs put these into the properties of a session too. */
bool nalu_property_is_of_specification(CFStringRef key);

#endif
