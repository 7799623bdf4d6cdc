/* The functions of libdbus-1 that are called, at the addresses that dlsym returned. */
#ifndef NALU_CPORTAL_DBUS_H
#define NALU_CPORTAL_DBUS_H

#include "loading.h"

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef struct { void *private_fields[16]; } dbus_iterator; /* at least the size of DBusMessageIter */
typedef struct { const char *name, *message; unsigned bits; void *padding; } dbus_error;

enum { DBUS_BUS_SESSION = 0, DBUS_MESSAGE_METHOD_RETURN = 2, DBUS_MESSAGE_ERROR = 3 };

#define DBUS_FUNCTIONS(X) \
    X(void, dbus_error_init, (dbus_error *)) \
    X(void, dbus_error_free, (dbus_error *)) \
    X(void, dbus_connection_set_change_sigpipe, (uint32_t)) \
    X(DBusConnection *, dbus_bus_get_private, (int, dbus_error *)) \
    X(const char *, dbus_bus_get_unique_name, (DBusConnection *)) \
    X(void, dbus_bus_add_match, (DBusConnection *, const char *, dbus_error *)) \
    X(void, dbus_connection_set_exit_on_disconnect, (DBusConnection *, uint32_t)) \
    X(uint32_t, dbus_connection_get_is_connected, (DBusConnection *)) \
    X(uint32_t, dbus_connection_get_unix_fd, (DBusConnection *, int *)) \
    X(uint32_t, dbus_connection_send, (DBusConnection *, DBusMessage *, uint32_t *)) \
    X(void, dbus_connection_flush, (DBusConnection *)) \
    X(uint32_t, dbus_connection_read_write, (DBusConnection *, int)) \
    X(DBusMessage *, dbus_connection_pop_message, (DBusConnection *)) \
    X(void, dbus_connection_close, (DBusConnection *)) \
    X(void, dbus_connection_unref, (DBusConnection *)) \
    X(DBusMessage *, dbus_message_new_method_call, (const char *, const char *, const char *, const char *)) \
    X(void, dbus_message_unref, (DBusMessage *)) \
    X(int, dbus_message_get_type, (DBusMessage *)) \
    X(uint32_t, dbus_message_get_reply_serial, (DBusMessage *)) \
    X(const char *, dbus_message_get_path, (DBusMessage *)) \
    X(const char *, dbus_message_get_error_name, (DBusMessage *)) \
    X(uint32_t, dbus_message_is_signal, (DBusMessage *, const char *, const char *)) \
    X(uint32_t, dbus_message_iter_init, (DBusMessage *, dbus_iterator *)) \
    X(void, dbus_message_iter_init_append, (DBusMessage *, dbus_iterator *)) \
    X(int, dbus_message_iter_get_arg_type, (dbus_iterator *)) \
    X(void, dbus_message_iter_get_basic, (dbus_iterator *, void *)) \
    X(void, dbus_message_iter_recurse, (dbus_iterator *, dbus_iterator *)) \
    X(uint32_t, dbus_message_iter_next, (dbus_iterator *)) \
    X(uint32_t, dbus_message_iter_append_basic, (dbus_iterator *, int, const void *)) \
    X(uint32_t, dbus_message_iter_open_container, (dbus_iterator *, int, const char *, dbus_iterator *)) \
    X(uint32_t, dbus_message_iter_close_container, (dbus_iterator *, dbus_iterator *))

#define DBUS_INDEX(result, name, parameters) INDEX_##name,
enum { DBUS_FUNCTIONS(DBUS_INDEX) DBUS_FUNCTION_COUNT };
#define DBUS_TYPE(result, name, parameters) typedef result(*type_##name) parameters;
DBUS_FUNCTIONS(DBUS_TYPE)

extern __attribute__((visibility("hidden"))) void *nalu_dbus_functions[DBUS_FUNCTION_COUNT];
#define CALL(name) ((type_##name)nalu_dbus_functions[INDEX_##name])

/* Loads the library. Returns 0, or -1 with a message. */
__attribute__((visibility("hidden"))) int32_t nalu_dbus_load(char *message, size_t capacity);

#endif
