#include "portal.h"

#include "dbus.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Loading ------------------------------------------------------------------------------------------------------- */

void *nalu_dbus_functions[DBUS_FUNCTION_COUNT];

int32_t nalu_dbus_load(char *message, size_t capacity) {
#define NAME(result, name, parameters) #name "\0"
    static const nalu_library library = {"libdbus-1.so.3", "libdbus-1-3", DBUS_FUNCTIONS(NAME)};
    static bool is_loaded;
    return nalu_libraries_load(&library, 1, nalu_dbus_functions, &is_loaded, message, capacity);
}

/* ---- Sessions ------------------------------------------------------------------------------------------------------ */

#define SERVICE "org.freedesktop.portal.Desktop"
#define OBJECT "/org/freedesktop/portal/desktop"
#define SCREEN_CAST "org.freedesktop.portal.ScreenCast"
#define REQUEST "org.freedesktop.portal.Request"

enum { MONITOR_OR_WINDOW = 1 | 2, CURSOR_IN_PICTURE = 2, PERSIST_UNTIL_REVOKED = 2, PATH_SIZE = 256 };

struct nalu_portal {
    DBusConnection *connection;
    int stop_descriptor;
    int64_t end; /* milliseconds of CLOCK_MONOTONIC */
    uint32_t request_count;
    char request[PATH_SIZE]; /* the object whose response is awaited */
    char session[PATH_SIZE];
    DBusMessage *response; /* the response of that object, once it has arrived */
    char *message;
};

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int32_t fail(nalu_portal *it, int32_t result, const char *reason) {
    snprintf(it->message, NALU_PORTAL_MESSAGE, "%s", reason);
    return result;
}

/* Receives the next message, and keeps it if it is the awaited response. `message_out` receives NULL if there is none yet. */
static int32_t receive(nalu_portal *it, DBusMessage **message_out) {
    *message_out = CALL(dbus_connection_pop_message)(it->connection);
    if (!*message_out) {
        int descriptor = -1;
        CALL(dbus_connection_flush)(it->connection);
        if (!CALL(dbus_connection_get_is_connected)(it->connection) ||
            !CALL(dbus_connection_get_unix_fd)(it->connection, &descriptor))
            return fail(it, NALU_PORTAL_FAILED, "the session bus has closed the connection");
        const int64_t left = it->end - milliseconds_now();
        if (left <= 0) return fail(it, NALU_PORTAL_FAILED, "the portal has not answered in time");
        struct pollfd waits[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = it->stop_descriptor, .events = POLLIN}};
        poll(waits, 2, left > 1000 ? 1000 : (int)left);
        if (waits[1].revents) return NALU_PORTAL_STOPPED;
        CALL(dbus_connection_read_write)(it->connection, 0);
        return NALU_PORTAL_OK;
    }
    const char *path = CALL(dbus_message_get_path)(*message_out);
    if (CALL(dbus_message_is_signal)(*message_out, REQUEST, "Response") && path && !strcmp(path, it->request) &&
        !it->response) {
        it->response = *message_out;
        *message_out = NULL;
    }
    return NALU_PORTAL_OK;
}

static int32_t connect_to_bus(nalu_portal *it) {
    if (nalu_dbus_load(it->message, NALU_PORTAL_MESSAGE)) return NALU_PORTAL_NOT_INSTALLED;
    dbus_error error;
    CALL(dbus_error_init)(&error);
    /* The host's handler of SIGPIPE stays as it is; libdbus writes with MSG_NOSIGNAL. */
    CALL(dbus_connection_set_change_sigpipe)(0);
    it->connection = CALL(dbus_bus_get_private)(DBUS_BUS_SESSION, &error);
    if (!it->connection) {
        snprintf(it->message, NALU_PORTAL_MESSAGE, "there is no session bus (%.300s)",
            error.message ? error.message : "DBUS_SESSION_BUS_ADDRESS is not set");
        CALL(dbus_error_free)(&error);
        return NALU_PORTAL_MISSING;
    }
    CALL(dbus_connection_set_exit_on_disconnect)(it->connection, 0);
    return NALU_PORTAL_OK;
}

/* Sends a call and waits for its reply, which the caller releases. Releases `call`. */
static int32_t answer(nalu_portal *it, DBusMessage *call, DBusMessage **reply_out) {
    uint32_t serial = 0;
    *reply_out = NULL;
    const bool is_sent = call && CALL(dbus_connection_send)(it->connection, call, &serial);
    if (call) CALL(dbus_message_unref)(call);
    if (!is_sent) return fail(it, NALU_PORTAL_FAILED, "no memory for a message to the portal");
    for (;;) {
        DBusMessage *message = NULL;
        const int32_t result = receive(it, &message);
        if (result) return result;
        if (!message) continue;
        const int type = CALL(dbus_message_get_type)(message);
        if (CALL(dbus_message_get_reply_serial)(message) == serial && type == DBUS_MESSAGE_METHOD_RETURN) {
            *reply_out = message;
            return NALU_PORTAL_OK;
        }
        if (CALL(dbus_message_get_reply_serial)(message) == serial && type == DBUS_MESSAGE_ERROR) {
            dbus_iterator arguments;
            const char *text = CALL(dbus_message_get_error_name)(message);
            if (CALL(dbus_message_iter_init)(message, &arguments) &&
                CALL(dbus_message_iter_get_arg_type)(&arguments) == 's')
                CALL(dbus_message_iter_get_basic)(&arguments, &text);
            snprintf(it->message, NALU_PORTAL_MESSAGE, "the desktop portal cannot share a screen (%.300s): install "
                "xdg-desktop-portal and the backend of the desktop", text ? text : "an error");
            CALL(dbus_message_unref)(message);
            return NALU_PORTAL_MISSING;
        }
        CALL(dbus_message_unref)(message);
    }
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------- */

/* Adds an entry {key: value} to a dictionary a{sv}. */
static void add(dbus_iterator *dictionary, const char *key, int type, const void *value) {
    dbus_iterator entry, variant;
    const char signature[2] = {(char)type, 0};
    CALL(dbus_message_iter_open_container)(dictionary, 'e', NULL, &entry);
    CALL(dbus_message_iter_append_basic)(&entry, 's', &key);
    CALL(dbus_message_iter_open_container)(&entry, 'v', signature, &variant);
    CALL(dbus_message_iter_append_basic)(&variant, type, value);
    CALL(dbus_message_iter_close_container)(&entry, &variant);
    CALL(dbus_message_iter_close_container)(dictionary, &entry);
}

/* Finds the value of a key in a dictionary a{sv}. Returns its type, or 0. */
static int find(dbus_iterator *dictionary, const char *key, dbus_iterator *value) {
    dbus_iterator entries;
    if (CALL(dbus_message_iter_get_arg_type)(dictionary) != 'a') return 0;
    CALL(dbus_message_iter_recurse)(dictionary, &entries);
    for (; CALL(dbus_message_iter_get_arg_type)(&entries) == 'e'; CALL(dbus_message_iter_next)(&entries)) {
        dbus_iterator entry;
        const char *name = NULL;
        CALL(dbus_message_iter_recurse)(&entries, &entry);
        if (CALL(dbus_message_iter_get_arg_type)(&entry) != 's') return 0;
        CALL(dbus_message_iter_get_basic)(&entry, &name);
        CALL(dbus_message_iter_next)(&entry);
        if (strcmp(name, key) || CALL(dbus_message_iter_get_arg_type)(&entry) != 'v') continue;
        CALL(dbus_message_iter_recurse)(&entry, value);
        return CALL(dbus_message_iter_get_arg_type)(value);
    }
    return 0;
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static DBusMessage *new_call(const nalu_portal *it, const char *method, dbus_iterator *arguments) {
    DBusMessage *call = CALL(dbus_message_new_method_call)(SERVICE, OBJECT, SCREEN_CAST, method);
    if (!call) return NULL;
    CALL(dbus_message_iter_init_append)(call, arguments);
    const char *session = it->session;
    if (*session) CALL(dbus_message_iter_append_basic)(arguments, 'o', &session);
    return call;
}

/* Begins the options of a request, and listens to the object that will have its response. */
static void begin_options(nalu_portal *it, dbus_iterator *arguments, dbus_iterator *options) {
    char token[32], sender[64], rule[PATH_SIZE + 128];
    const char *name = CALL(dbus_bus_get_unique_name)(it->connection), *text = token;
    snprintf(token, sizeof token, "nalu%u", ++it->request_count);
    snprintf(sender, sizeof sender, "%s", name && *name ? name + 1 : "");
    for (char *c = sender; *c; c++) if (*c == '.') *c = '_';
    snprintf(it->request, sizeof it->request, OBJECT "/request/%s/%s", sender, token);
    snprintf(rule, sizeof rule, "type='signal',interface='" REQUEST "',member='Response',path='%s'", it->request);
    CALL(dbus_bus_add_match)(it->connection, rule, NULL);
    if (it->response) CALL(dbus_message_unref)(it->response);
    it->response = NULL;
    CALL(dbus_message_iter_open_container)(arguments, 'a', "{sv}", options);
    add(options, "handle_token", 's', &text);
}

/* Sends a request, and waits for its response. `results` is at the dictionary of the response. */
static int32_t request(nalu_portal *it, DBusMessage *call, dbus_iterator *results) {
    DBusMessage *reply = NULL;
    int32_t result = answer(it, call, &reply);
    if (result) return result;
    CALL(dbus_message_unref)(reply);
    while (!it->response) {
        DBusMessage *message = NULL;
        result = receive(it, &message);
        if (message) CALL(dbus_message_unref)(message);
        if (result) return result;
    }
    uint32_t code = 2;
    if (CALL(dbus_message_iter_init)(it->response, results) && CALL(dbus_message_iter_get_arg_type)(results) == 'u') {
        CALL(dbus_message_iter_get_basic)(results, &code);
        CALL(dbus_message_iter_next)(results);
    }
    if (code == 1) return fail(it, NALU_PORTAL_REFUSED, "the user has not permitted the capture of the screen");
    if (code) return fail(it, NALU_PORTAL_FAILED, "the desktop portal has ended the request for a screen");
    return NALU_PORTAL_OK;
}

static int32_t create_session(nalu_portal *it) {
    dbus_iterator arguments, options, results, value;
    DBusMessage *call = new_call(it, "CreateSession", &arguments);
    if (!call) return fail(it, NALU_PORTAL_FAILED, "no memory for a message to the portal");
    begin_options(it, &arguments, &options);
    const char *token = "nalu";
    add(&options, "session_handle_token", 's', &token);
    CALL(dbus_message_iter_close_container)(&arguments, &options);
    const int32_t result = request(it, call, &results);
    if (result) return result;
    const char *path = NULL;
    const int type = find(&results, "session_handle", &value);
    if (type == 's' || type == 'o') CALL(dbus_message_iter_get_basic)(&value, &path);
    if (!path || strlen(path) >= sizeof it->session) return fail(it, NALU_PORTAL_FAILED, "the desktop portal names no session");
    snprintf(it->session, sizeof it->session, "%s", path);
    return NALU_PORTAL_OK;
}

static int32_t select_sources(nalu_portal *it, bool shows_cursor, const char *token) {
    dbus_iterator arguments, options, results;
    DBusMessage *call = new_call(it, "SelectSources", &arguments);
    if (!call) return fail(it, NALU_PORTAL_FAILED, "no memory for a message to the portal");
    begin_options(it, &arguments, &options);
    const uint32_t types = MONITOR_OR_WINDOW, several = 0, cursor = CURSOR_IN_PICTURE, persist = PERSIST_UNTIL_REVOKED;
    add(&options, "types", 'u', &types);
    add(&options, "multiple", 'b', &several);
    if (shows_cursor) add(&options, "cursor_mode", 'u', &cursor);
    /* Portals before version 4 ignore both. */
    if (token) add(&options, "persist_mode", 'u', &persist);
    if (token && *token) add(&options, "restore_token", 's', &token);
    CALL(dbus_message_iter_close_container)(&arguments, &options);
    return request(it, call, &results);
}

/* Reads the first stream of an array a(ua{sv}). */
static bool read_stream(dbus_iterator *streams, nalu_portal_screen *screen) {
    dbus_iterator item, fields, size, sides;
    CALL(dbus_message_iter_recurse)(streams, &item);
    if (CALL(dbus_message_iter_get_arg_type)(&item) != 'r') return false;
    CALL(dbus_message_iter_recurse)(&item, &fields);
    if (CALL(dbus_message_iter_get_arg_type)(&fields) != 'u') return false;
    CALL(dbus_message_iter_get_basic)(&fields, &screen->node);
    CALL(dbus_message_iter_next)(&fields);
    if (find(&fields, "size", &size) != 'r') return true;
    CALL(dbus_message_iter_recurse)(&size, &sides);
    if (CALL(dbus_message_iter_get_arg_type)(&sides) != 'i') return true;
    CALL(dbus_message_iter_get_basic)(&sides, &screen->width);
    CALL(dbus_message_iter_next)(&sides);
    if (CALL(dbus_message_iter_get_arg_type)(&sides) == 'i') CALL(dbus_message_iter_get_basic)(&sides, &screen->height);
    return true;
}

static int32_t start(nalu_portal *it, nalu_portal_screen *screen) {
    dbus_iterator arguments, options, results, streams, value;
    DBusMessage *call = new_call(it, "Start", &arguments);
    if (!call) return fail(it, NALU_PORTAL_FAILED, "no memory for a message to the portal");
    const char *parent_window = "";
    CALL(dbus_message_iter_append_basic)(&arguments, 's', &parent_window);
    begin_options(it, &arguments, &options);
    CALL(dbus_message_iter_close_container)(&arguments, &options);
    const int32_t result = request(it, call, &results);
    if (result) return result;
    if (find(&results, "streams", &streams) != 'a' || !read_stream(&streams, screen))
        return fail(it, NALU_PORTAL_FAILED, "the desktop portal shares no screen");
    const char *token = "";
    if (find(&results, "restore_token", &value) == 's') CALL(dbus_message_iter_get_basic)(&value, &token);
    /* A token that does not fit is left out, since a part of it is useless. */
    if (strlen(token) < sizeof screen->token) snprintf(screen->token, sizeof screen->token, "%s", token);
    return NALU_PORTAL_OK;
}

static int32_t open_remote(nalu_portal *it, nalu_portal_screen *screen) {
    dbus_iterator arguments, options;
    DBusMessage *call = new_call(it, "OpenPipeWireRemote", &arguments), *reply = NULL;
    if (!call) return fail(it, NALU_PORTAL_FAILED, "no memory for a message to the portal");
    CALL(dbus_message_iter_open_container)(&arguments, 'a', "{sv}", &options);
    CALL(dbus_message_iter_close_container)(&arguments, &options);
    const int32_t result = answer(it, call, &reply);
    if (result) return result;
    if (CALL(dbus_message_iter_init)(reply, &arguments) && CALL(dbus_message_iter_get_arg_type)(&arguments) == 'h')
        CALL(dbus_message_iter_get_basic)(&arguments, &screen->descriptor);
    CALL(dbus_message_unref)(reply);
    return screen->descriptor >= 0 ? NALU_PORTAL_OK
        : fail(it, NALU_PORTAL_FAILED, "the desktop portal has not opened a connection to PipeWire");
}

/* ---- Use ----------------------------------------------------------------------------------------------------------- */

static nalu_portal *new_portal(int stop_descriptor, int32_t milliseconds, char *message) {
    nalu_portal *it = calloc(1, sizeof *it);
    if (!it) {
        snprintf(message, NALU_PORTAL_MESSAGE, "no memory for a session with the desktop portal");
        return NULL;
    }
    it->stop_descriptor = stop_descriptor;
    it->end = milliseconds_now() + milliseconds;
    it->message = message;
    return it;
}

int32_t nalu_portal_check(int32_t milliseconds, char *message) {
    nalu_portal *it = new_portal(-1, milliseconds, message);
    if (!it) return NALU_PORTAL_FAILED;
    DBusMessage *reply = NULL;
    int32_t result = connect_to_bus(it);
    if (result == NALU_PORTAL_OK) {
        const char *interface = SCREEN_CAST, *property = "version";
        dbus_iterator arguments;
        DBusMessage *call =
            CALL(dbus_message_new_method_call)(SERVICE, OBJECT, "org.freedesktop.DBus.Properties", "Get");
        if (call) {
            CALL(dbus_message_iter_init_append)(call, &arguments);
            CALL(dbus_message_iter_append_basic)(&arguments, 's', &interface);
            CALL(dbus_message_iter_append_basic)(&arguments, 's', &property);
        }
        result = answer(it, call, &reply);
    }
    if (reply) CALL(dbus_message_unref)(reply);
    nalu_portal_close(it);
    return result;
}

int32_t nalu_portal_open(bool shows_cursor, const char *token, int stop_descriptor, int32_t milliseconds,
                         nalu_portal **portal_out, nalu_portal_screen *screen_out, char *message) {
    *portal_out = NULL;
    *screen_out = (nalu_portal_screen){.descriptor = -1};
    nalu_portal *it = new_portal(stop_descriptor, milliseconds, message);
    if (!it) return NALU_PORTAL_FAILED;
    int32_t result = connect_to_bus(it);
    if (result == NALU_PORTAL_OK) result = create_session(it);
    if (result == NALU_PORTAL_OK) result = select_sources(it, shows_cursor, token);
    if (result == NALU_PORTAL_OK) result = start(it, screen_out);
    if (result == NALU_PORTAL_OK) result = open_remote(it, screen_out);
    if (result == NALU_PORTAL_OK) *portal_out = it;
    else nalu_portal_close(it);
    return result;
}

void nalu_portal_close(nalu_portal *it) {
    if (!it) return;
    if (it->response) CALL(dbus_message_unref)(it->response);
    if (it->connection) {
        /* The portal ends the session of a client that leaves the bus, and a dialog that is open. */
        CALL(dbus_connection_close)(it->connection);
        CALL(dbus_connection_unref)(it->connection);
    }
    free(it);
}
