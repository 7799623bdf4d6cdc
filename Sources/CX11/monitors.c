/* The monitors of X11 screens, by the extension RandR 1.5. */
#include "connection.h"

#include "loading.h"

#include <stdlib.h>
#include <string.h>

typedef struct { uint8_t type, unused; uint16_t sequence; uint32_t length, major, minor; } version_reply;
typedef struct { uint8_t type, unused; uint16_t sequence; uint32_t length, time, monitor_count, output_count; uint8_t
                 padding[12]; } monitors_reply;
typedef struct { uint32_t name; uint8_t is_primary, is_automatic; uint16_t output_count; int16_t x, y; uint16_t width, height;
                 uint32_t millimeters[2]; } monitor_item;
typedef struct { uint8_t type, unused; uint16_t sequence; uint32_t length; uint16_t name_length; uint8_t padding[22]; }
    name_reply;

#define XCB_FUNCTIONS(X) X(cookie, xcb_get_atom_name, (xcb_connection_t *, uint32_t))
#define RANDR_FUNCTIONS(X) \
    X(void, xcb_randr_id, (void)) /* an object */ \
    X(cookie, xcb_randr_query_version, (xcb_connection_t *, uint32_t, uint32_t)) \
    X(cookie, xcb_randr_get_monitors, (xcb_connection_t *, uint32_t, uint8_t))

#define NAME(result, name, parameters) #name "\0"
static const nalu_library libraries[] = {
    {"libxcb.so.1", "libxcb1", XCB_FUNCTIONS(NAME)}, {"libxcb-randr.so.0", "libxcb-randr0", RANDR_FUNCTIONS(NAME)}};
#define INDEX(result, name, parameters) INDEX_##name,
enum { XCB_FUNCTIONS(INDEX) RANDR_FUNCTIONS(INDEX) FUNCTION_COUNT };
#define TYPE(result, name, parameters) typedef result(*type_##name) parameters;
XCB_FUNCTIONS(TYPE)
RANDR_FUNCTIONS(TYPE)

static void *functions[FUNCTION_COUNT];
static bool is_loaded;
#define CALL(name) ((type_##name)functions[INDEX_##name])

/* Reads the name of an atom. */
static int32_t read_name(nalu_x11 *it, uint32_t atom, char *name, size_t capacity) {
    void *reply;
    const int32_t result = nalu_x11_wait_for(it, CALL(xcb_get_atom_name)(it->connection, atom), &reply);
    *name = 0;
    if (result != NALU_X11_OK) return result == NALU_X11_REFUSED ? NALU_X11_OK : result;
    const name_reply *found = reply;
    size_t length = found->name_length;
    if (length > (size_t)found->length * 4) length = (size_t)found->length * 4;
    if (length >= capacity) length = capacity - 1;
    memcpy(name, found + 1, length);
    name[length] = 0;
    free(reply);
    return NALU_X11_OK;
}

/* Reads whether the server has RandR 1.5. This request must precede the other requests of RandR. */
static int32_t begin(nalu_x11 *it, bool *is_present) {
    void *reply;
    int32_t result = nalu_x11_find_extension(it, "RANDR", functions[INDEX_xcb_randr_id], is_present);
    if (result != NALU_X11_OK || !*is_present) return result;
    result = nalu_x11_wait_for(it, CALL(xcb_randr_query_version)(it->connection, 1, 5), &reply);
    if (result != NALU_X11_OK) return result;
    const version_reply *version = reply;
    *is_present = version->major > 1 || (version->major == 1 && version->minor >= 5);
    free(reply);
    return NALU_X11_OK;
}

int32_t nalu_x11_monitors(nalu_x11 *it, uint32_t window, nalu_x11_monitor *monitors, int32_t *count_out) {
    char message[256];
    bool is_present = false;
    void *reply;
    *count_out = 0;
    if (nalu_libraries_load(libraries, 2, functions, &is_loaded, message, sizeof message)) return NALU_X11_OK;
    int32_t result = begin(it, &is_present);
    if (result != NALU_X11_OK || !is_present) return result;
    result = nalu_x11_wait_for(it, CALL(xcb_randr_get_monitors)(it->connection, window, 1), &reply);
    if (result != NALU_X11_OK) return result;
    const monitors_reply *list = reply;
    const uint8_t *next = (const uint8_t *)(list + 1);
    size_t rest = (size_t)list->length * 4;
    for (uint32_t i = 0; i < list->monitor_count && *count_out < NALU_X11_MOST_MONITORS && result == NALU_X11_OK; i++) {
        monitor_item item;
        if (rest < sizeof item) break;
        memcpy(&item, next, sizeof item);
        const size_t size = sizeof item + (size_t)item.output_count * 4;
        if (rest < size) break;
        next += size;
        rest -= size;
        if (item.x < 0 || item.y < 0 || item.width < 1 || item.height < 1) continue;
        nalu_x11_monitor *monitor = &monitors[*count_out];
        *monitor = (nalu_x11_monitor){
            .is_primary = item.is_primary, .x = item.x, .y = item.y, .width = item.width, .height = item.height};
        result = read_name(it, item.name, monitor->name, sizeof monitor->name);
        if (monitor->name[0]) ++*count_out;
    }
    free(reply);
    return result;
}
