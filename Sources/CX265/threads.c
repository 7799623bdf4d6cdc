/* Threads that wait for x265 to start them. */
#include "threads.h"

#include "loading.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { CALL = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { CALL = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { CALL = -1, ADDRESS = -1 };
#endif

struct group;

typedef struct member {
    struct group *group;
    pthread_t thread;
    pthread_cond_t has_changed;
    void *(*function)(void *); /* of x265; NULL until it starts the thread */
    void *argument;
} member;

/* Threads of one encoder. The last user frees it: the thread that opens the encoder, or a member that has its function. */
typedef struct group {
    pthread_mutex_t lock;
    int users, count, started;
    bool is_over; /* x265 starts no further thread */
    member members[];
} group;

/* The group for the encoder that the calling thread opens. */
static _Thread_local group *offered;

static void leave(group *it) {
    pthread_mutex_lock(&it->lock);
    const bool is_last = --it->users == 0;
    pthread_mutex_unlock(&it->lock);
    if (!is_last) return;
    for (int i = 0; i < it->count; i++) pthread_cond_destroy(&it->members[i].has_changed);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

static void *wait_for_start(void *argument) {
    member *it = argument;
    group *group = it->group;
    pthread_mutex_lock(&group->lock);
    while (!it->function && !group->is_over) pthread_cond_wait(&it->has_changed, &group->lock);
    void *(*const function)(void *) = it->function;
    void *const value = it->argument;
    pthread_mutex_unlock(&group->lock);
    leave(group);
    return function ? function(value) : NULL;
}

/* Ends the threads that x265 has not started, and gives the group up. */
static void finish(group *it) {
    pthread_mutex_lock(&it->lock);
    it->is_over = true;
    for (int i = it->started; i < it->count; i++) pthread_cond_signal(&it->members[i].has_changed);
    pthread_mutex_unlock(&it->lock);
    for (int i = it->started; i < it->count; i++) pthread_join(it->members[i].thread, NULL);
    leave(it);
}

static group *create_threads(int count, int *error) {
    group *it = calloc(1, sizeof *it + (size_t)count * sizeof *it->members);
    if (!it) {
        *error = ENOMEM;
        return NULL;
    }
    pthread_mutex_init(&it->lock, NULL);
    it->users = 1;
    *error = 0;
    while (it->count < count) {
        member *next = &it->members[it->count];
        next->group = it;
        pthread_cond_init(&next->has_changed, NULL);
        pthread_mutex_lock(&it->lock);
        *error = pthread_create(&next->thread, NULL, wait_for_start, next);
        if (*error == 0) {
            it->count++;
            it->users++;
        }
        pthread_mutex_unlock(&it->lock);
        if (*error != 0) {
            pthread_cond_destroy(&next->has_changed);
            finish(it);
            return NULL;
        }
    }
    return it;
}

/* What libx265 called before `start`: pthread_create, or `start` of another copy of libnalu in the process. Copies that redirect
 * several libraries can refer to each other, so a call is passed on once. */
typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static create_function *former_create = pthread_create;
static _Thread_local bool is_passed_on;

/* libx265's pthread_create. */
static int start(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    group *it = offered;
    if (!it || attributes || it->started == it->count) {
        if (is_passed_on) return pthread_create(thread, attributes, function, argument);
        is_passed_on = true;
        const int error = __atomic_load_n(&former_create, __ATOMIC_ACQUIRE)(thread, attributes, function, argument);
        is_passed_on = false;
        return error;
    }
    member *next = &it->members[it->started++];
    *thread = next->thread;
    pthread_mutex_lock(&it->lock);
    next->argument = argument;
    next->function = function;
    pthread_cond_signal(&next->has_changed);
    pthread_mutex_unlock(&it->lock);
    return 0;
}

/* The addresses of a loaded library, from its ELF program headers. */
typedef struct library {
    uintptr_t inside; /* an address in the library, by which it is found */
    uintptr_t base;
    const ElfW(Dyn) *dynamic;
    uintptr_t read_only_begin, read_only_end; /* read-only since the dynamic loader filled it (RELRO) */
    bool is_redirected;
} library;

static int find_library(struct dl_phdr_info *info, size_t size, void *context) {
    library *it = context;
    library found = {.inside = it->inside, .base = info->dlpi_addr};
    bool is_it = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD) is_it |= it->inside >= begin && it->inside - begin < part->p_memsz;
        if (part->p_type == PT_DYNAMIC) found.dynamic = (const ElfW(Dyn) *)begin;
        if (part->p_type == PT_GNU_RELRO) {
            found.read_only_begin = begin;
            found.read_only_end = begin + part->p_memsz;
        }
    }
    if (is_it) *it = found;
    return is_it;
}

/* Replaces an address by that of `start`, which calls a former `start` of another copy. The address of a function that the
 * dynamic loader has not looked up leads into the library itself, to code that would write the found address here. */
static bool redirect(const library *it, void **place) {
    const uintptr_t former = (uintptr_t)*place;
    library owner = {.inside = former};
    if (former == (uintptr_t)start) return true;
    dl_iterate_phdr(find_library, &owner);
    if (owner.base != it->base && former != (uintptr_t)pthread_create)
        __atomic_store_n(&former_create, (create_function *)former, __ATOMIC_RELEASE);
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t page = (uintptr_t)place & ~(size - 1);
    const bool is_read_only = page + size > it->read_only_begin && page + size <= (it->read_only_end & ~(size - 1));
    if (is_read_only && mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(place, (void *)(uintptr_t)start, __ATOMIC_RELEASE);
    if (is_read_only) (void)mprotect((void *)page, size, PROT_READ);
    return true;
}

/* Redirects a library's calls of pthread_create. Returns false if none is found. */
static bool redirect_calls(const library *it) {
    uintptr_t tables[2] = {0}, symbols = 0, names = 0;
    size_t sizes[2] = {0};
    bool is_redirected = false;
    if (!it->dynamic) return false;
    for (const ElfW(Dyn) *entry = it->dynamic; entry->d_tag != DT_NULL; entry++) {
        /* The loader has replaced offsets by addresses, on most processors. */
        const uintptr_t address = entry->d_un.d_ptr < it->base ? it->base + entry->d_un.d_ptr : entry->d_un.d_ptr;
        if (entry->d_tag == DT_JMPREL) tables[0] = address;
        if (entry->d_tag == DT_PLTRELSZ) sizes[0] = entry->d_un.d_val;
        if (entry->d_tag == DT_RELA) tables[1] = address;
        if (entry->d_tag == DT_RELASZ) sizes[1] = entry->d_un.d_val;
        if (entry->d_tag == DT_SYMTAB) symbols = address;
        if (entry->d_tag == DT_STRTAB) names = address;
    }
    if (!symbols || !names) return false;
    for (int table = 0; table < 2; table++) {
        const ElfW(Rela) *entries = (const ElfW(Rela) *)tables[table];
        for (size_t i = 0; entries && i < sizes[table] / sizeof *entries; i++) {
            const int type = (int)ELF64_R_TYPE(entries[i].r_info);
            if (type != CALL && type != ADDRESS) continue;
            const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols + ELF64_R_SYM(entries[i].r_info);
            if (strcmp((const char *)names + symbol->st_name, "pthread_create") == 0)
                is_redirected |= redirect(it, (void **)(it->base + entries[i].r_offset));
        }
    }
    return is_redirected;
}

/* Redirects the calls of the library that is looked for. dl_iterate_phdr holds a lock meanwhile, which all copies of libnalu in
 * the process share. So the copies change the library one after the other. */
static int redirect_library(struct dl_phdr_info *info, size_t size, void *context) {
    library *it = context;
    if (!find_library(info, size, it)) return 0;
    it->is_redirected = redirect_calls(it);
    return 1;
}

/* Redirects the calls of a library once. x265's 8 and 10 bits can be in two libraries. */
static bool is_redirected(const x265_api *api) {
    static const x265_api *libraries[2];
    static bool results[2];
    const bool has_locked = nalu_loading_lock();
    int i = 0;
    while (i < 2 && libraries[i] && libraries[i] != api) i++;
    bool result = false;
    if (i < 2) {
        if (!libraries[i]) {
            library it = {.inside = (uintptr_t)api->encoder_open};
            dl_iterate_phdr(redirect_library, &it);
            results[i] = it.is_redirected;
        }
        libraries[i] = api;
        result = results[i];
    }
    if (has_locked) nalu_loading_unlock();
    return result;
}

/* Removes the thread pool if libnuma, which x265 has loaded, cannot be used: each thread of the pool would write an error message
 * to the standard error. Returns how many of `count` threads remain. */
static int without_useless_pool(x265_param *param, int count) {
    int (*is_available)(void) = NULL;
    void *numa = dlopen("libnuma.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (numa) *(void **)&is_available = dlsym(numa, "numa_available");
    const bool is_usable = !is_available || is_available() >= 0;
    if (numa) dlclose(numa);
    if (is_usable) return count;
    char *none = strdup("none");
    if (!none || !param->numaPools) {
        free(none);
        return count;
    }
    const int pool = atoi(param->numaPools);
    free((void *)(uintptr_t)param->numaPools);
    param->numaPools = none;
    return count - pool;
}

x265_encoder *nalu_x265_open(const x265_api *api, x265_param *param, int count, int *error) {
    count = without_useless_pool(param, count);
    group *it = create_threads(count, error);
    if (!it) return NULL;
    /* If the calls cannot be redirected, the threads have at least shown that as many can be created. */
    if (is_redirected(api)) offered = it;
    else finish(it);
    x265_encoder *encoder = api->encoder_open(param);
    if (offered) finish(offered);
    offered = NULL;
    return encoder;
}
