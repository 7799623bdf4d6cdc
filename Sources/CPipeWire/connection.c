#include "connection.h"

#include "loading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

nalu_pw_library nalu_pw;

int32_t nalu_pw_load(char *message) {
#define NAME(name) "pw_" #name "\0"
    static const nalu_library library = {"libpipewire-0.3.so.0", "libpipewire-0.3-0 and pipewire", NALU_PW_FUNCTIONS(NAME)};
    static bool is_loaded, is_begun;
    if (nalu_libraries_load(&library, 1, (void **)&nalu_pw, &is_loaded, message, NALU_PW_MESSAGE))
        return NALU_PW_NOT_INSTALLED;
    if (!__atomic_load_n(&is_begun, __ATOMIC_ACQUIRE)) {
        const bool has_locked = nalu_loading_lock();
        if (!is_begun) nalu_pw.init(NULL, NULL);
        __atomic_store_n(&is_begun, true, __ATOMIC_RELEASE);
        if (has_locked) nalu_loading_unlock();
    }
    return 0;
}

/* ---- Devices ---------------------------------------------------------------------------------------------------- */

static void receive_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
    (void)seq, (void)index, (void)next;
    if (id == SPA_PARAM_EnumFormat && param) nalu_pw_add_formats(data, param);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .param = receive_param};

static int receive_metadata(void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    pw_connection *it = data;
    (void)subject, (void)type;
    if (key && value && !strcmp(key, "default.video.source"))
        snprintf(it->default_camera, sizeof it->default_camera, "%s", value);
    if (key && value && !strcmp(key, "default.audio.source"))
        snprintf(it->default_microphone, sizeof it->default_microphone, "%s", value);
    return 0;
}

static const struct pw_metadata_events metadata_events = {PW_VERSION_METADATA_EVENTS, .property = receive_metadata};

static void receive_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    pw_connection *it = data;
    (void)permissions, (void)version;
    if (!properties) return;
    if (!strcmp(type, PW_TYPE_INTERFACE_Metadata) && !it->metadata) {
        const char *name = spa_dict_lookup(properties, PW_KEY_METADATA_NAME);
        if (!it->lists_formats || !name || strcmp(name, "default")) return;
        it->metadata = pw_registry_bind(it->registry, id, type, PW_VERSION_METADATA, 0);
        if (it->metadata)
            pw_metadata_add_listener((struct pw_metadata *)it->metadata, &it->metadata_listener, &metadata_events, it);
        return;
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Node)) return;
    const char *class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS);
    const char *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
    if (!class || !name || it->found_count == NALU_PW_MOST_DEVICES) return;
    const bool is_camera = !strncmp(class, "Video/Source", 12), is_microphone = !strncmp(class, "Audio/Source", 12);
    if (!is_camera && !is_microphone) return;
    pw_found *found = calloc(1, sizeof *found);
    if (!found) return;
    const char *description = spa_dict_lookup(properties, PW_KEY_NODE_DESCRIPTION);
    found->id = id;
    found->is_microphone = is_microphone;
    snprintf(found->name, sizeof found->name, "%s", name);
    snprintf(found->description, sizeof found->description, "%s", description ? description : name);
    it->found[it->found_count++] = found;
    if (!it->lists_formats) return;
    found->proxy = pw_registry_bind(it->registry, id, type, PW_VERSION_NODE, 0);
    if (!found->proxy) return;
    pw_node_add_listener((struct pw_node *)found->proxy, &found->listener, &node_events, found);
    pw_node_enum_params((struct pw_node *)found->proxy, 0, SPA_PARAM_EnumFormat, 0, UINT32_MAX, NULL);
}

static void receive_removal(void *data, uint32_t id) {
    pw_connection *it = data;
    if (it->has_node && it->node == id) it->is_node_gone = true;
    for (int32_t i = 0; i < it->found_count; i++)
        if (it->found[i]->id == id) it->found[i]->is_gone = true;
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = receive_global, .global_remove = receive_removal};

/* ---- The connection --------------------------------------------------------------------------------------------- */

static void receive_done(void *data, uint32_t id, int seq) {
    pw_connection *it = data;
    if (id == PW_ID_CORE && seq == it->sync) it->is_done = true;
}

static void receive_error(void *data, uint32_t id, int seq, int result, const char *text) {
    pw_connection *it = data;
    (void)seq, (void)text;
    if (id == PW_ID_CORE && result == -EPIPE) it->is_lost = true;
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = receive_done, .error = receive_error};

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the server has answered all earlier requests. */
static bool synchronize(pw_connection *it, int64_t end) {
    it->is_done = false;
    it->sync = pw_core_sync(it->core, PW_ID_CORE, 0);
    while (!it->is_done && !it->is_lost) {
        const int64_t left = end - milliseconds_now();
        if (left <= 0) return false;
        const int result = pw_loop_iterate(it->loop, (int)left);
        if (result < 0 && result != -EINTR) return false;
    }
    return it->is_done;
}

int32_t nalu_pw_connect(pw_connection *it, int descriptor, bool lists_formats, int32_t milliseconds, char *message) {
    const int64_t end = milliseconds_now() + milliseconds;
    const int32_t loaded = nalu_pw_load(message);
    memset(it, 0, sizeof *it);
    if (loaded) {
        if (descriptor >= 0) close(descriptor);
        return loaded;
    }
    it->lists_formats = lists_formats;
    it->loop = nalu_pw.loop_new(NULL);
    it->context = it->loop ? nalu_pw.context_new(it->loop, NULL, 0) : NULL;
    if (it->loop) pw_loop_enter(it->loop);
    errno = 0;
    if (it->context)
        it->core = descriptor >= 0 ? nalu_pw.context_connect_fd(it->context, descriptor, NULL, 0)
                                   : nalu_pw.context_connect(it->context, NULL, 0);
    else if (descriptor >= 0) close(descriptor);
    const int number = errno;
    it->registry = it->core ? pw_core_get_registry(it->core, PW_VERSION_REGISTRY, 0) : NULL;
    if (!it->registry) {
        snprintf(message, NALU_PW_MESSAGE, "PipeWire does not run for this user (%s): start pipewire and wireplumber",
            strerror(number ? number : ENOMEM));
        return NALU_PW_FAILED;
    }
    pw_core_add_listener(it->core, &it->core_listener, &core_events, it);
    pw_registry_add_listener(it->registry, &it->registry_listener, &registry_events, it);
    /* The first answer lists the devices, and the second one their formats. */
    if (!synchronize(it, end) || (lists_formats && !synchronize(it, end))) {
        snprintf(message, NALU_PW_MESSAGE, "PipeWire's server %s", it->is_lost ? "has ended" : "does not answer");
        return NALU_PW_FAILED;
    }
    return 0;
}

void nalu_pw_disconnect(pw_connection *it) {
    for (int32_t i = 0; i < it->found_count; i++) {
        if (it->found[i]->proxy) nalu_pw.proxy_destroy(it->found[i]->proxy);
        free(it->found[i]);
    }
    if (it->metadata) nalu_pw.proxy_destroy(it->metadata);
    if (it->registry) nalu_pw.proxy_destroy((struct pw_proxy *)it->registry);
    if (it->core) nalu_pw.core_disconnect(it->core);
    if (it->context) nalu_pw.context_destroy(it->context);
    if (it->loop) {
        pw_loop_leave(it->loop);
        nalu_pw.loop_destroy(it->loop);
    }
    memset(it, 0, sizeof *it);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

int32_t nalu_pw_list(int32_t milliseconds, nalu_pw_device_callback callback, void *refcon, char *message) {
    pw_connection *it = calloc(1, sizeof *it);
    if (!it) {
        snprintf(message, NALU_PW_MESSAGE, "no memory for a connection to PipeWire");
        return NALU_PW_FAILED;
    }
    const int32_t result = nalu_pw_connect(it, -1, true, milliseconds, message);
    for (int32_t i = 0; result == 0 && i < it->found_count; i++) {
        const pw_found *found = it->found[i];
        if (found->is_gone) continue;
        char quoted[260];
        snprintf(quoted, sizeof quoted, "\"%s\"", found->name);
        callback(refcon, &(nalu_pw_device){
            .name = found->name, .description = found->description, .is_microphone = found->is_microphone,
            .is_default = strstr(found->is_microphone ? it->default_microphone : it->default_camera, quoted) != NULL,
            .format_count = found->format_count, .formats = found->formats});
    }
    nalu_pw_disconnect(it);
    free(it);
    return result;
}
