#include "attachments.h"
#include "value.h"

#include "object.h"

#include <stdlib.h>

void nalu_attachments_init(nalu_attachments *attachments) {
    pthread_mutex_init(&attachments->lock, NULL);
    attachments->dictionaries[0] = attachments->dictionaries[1] = NULL;
}

void nalu_attachments_destroy(nalu_attachments *attachments) {
    for (int mode = 0; mode < 2; mode++) nalu_object_release_held(attachments->dictionaries[mode]);
    pthread_mutex_destroy(&attachments->lock);
}

/* Removes the value of `key` and returns it with a reference. Needs the lock. The caller releases the value without the
 * lock, because its finalizer may run foreign code. */
static CFTypeRef take(nalu_attachments *attachments, CFStringRef key) {
    for (int mode = 0; mode < 2; mode++) {
        CFMutableDictionaryRef dictionary = attachments->dictionaries[mode];
        CFTypeRef value = dictionary ? CFDictionaryGetValue(dictionary, key) : NULL;
        if (!value) continue;
        CFRetain(value);
        CFDictionaryRemoveValue(dictionary, key);
        return value;
    }
    return NULL;
}

void nalu_attachments_set(nalu_attachments *attachments, CFStringRef key, CFTypeRef value, bool propagates) {
    if (!key) return;
    pthread_mutex_lock(&attachments->lock);
    CFTypeRef old = take(attachments, key);
    if (value) {
        CFMutableDictionaryRef *dictionary = &attachments->dictionaries[propagates];
        if (!*dictionary)
            *dictionary = nalu_dictionary_create(NULL);
        if (*dictionary) CFDictionarySetValue(*dictionary, key, value);
    }
    pthread_mutex_unlock(&attachments->lock);
    if (old) CFRelease(old);
}

void nalu_attachments_set_all(nalu_attachments *attachments, CFDictionaryRef pairs, bool propagates) {
    const CFIndex count = pairs ? CFDictionaryGetCount(pairs) : 0;
    if (count < 1) return;
    const void **items = (const void **)malloc((size_t)count * 2 * sizeof *items);
    if (!items) return;
    CFDictionaryGetKeysAndValues(pairs, items, items + count);
    for (CFIndex i = 0; i < count; i++)
        if (items[count + i]) nalu_attachments_set(attachments, items[i], items[count + i], propagates);
    free((void *)items);
}

CFTypeRef nalu_attachments_copy(nalu_attachments *attachments, CFStringRef key, bool *propagates) {
    CFTypeRef value = NULL;
    if (!key) return NULL;
    pthread_mutex_lock(&attachments->lock);
    for (int mode = 0; mode < 2 && !value; mode++) {
        CFDictionaryRef dictionary = attachments->dictionaries[mode];
        value = dictionary ? CFDictionaryGetValue(dictionary, key) : NULL;
        if (value && propagates) *propagates = mode;
    }
    if (value) CFRetain(value);
    pthread_mutex_unlock(&attachments->lock);
    return value;
}

CFTypeRef nalu_attachments_get(nalu_attachments *attachments, CFStringRef key, bool *propagates) {
    CFTypeRef value = nalu_attachments_copy(attachments, key, propagates);
    if (value) CFRelease(value);
    return value;
}

CFDictionaryRef nalu_attachments_get_all(nalu_attachments *attachments, bool propagates) {
    pthread_mutex_lock(&attachments->lock);
    CFDictionaryRef dictionary = attachments->dictionaries[propagates];
    if (dictionary && CFDictionaryGetCount(dictionary) == 0) dictionary = NULL;
    pthread_mutex_unlock(&attachments->lock);
    return dictionary;
}

CFDictionaryRef nalu_attachments_copy_all(nalu_attachments *attachments, bool propagates, CFAllocatorRef allocator) {
    pthread_mutex_lock(&attachments->lock);
    CFDictionaryRef dictionary = attachments->dictionaries[propagates];
    dictionary = dictionary && CFDictionaryGetCount(dictionary) ? CFDictionaryCreateCopy(allocator, dictionary) : NULL;
    pthread_mutex_unlock(&attachments->lock);
    return dictionary;
}

void nalu_attachments_remove(nalu_attachments *attachments, CFStringRef key) {
    nalu_attachments_set(attachments, key, NULL, false);
}

void nalu_attachments_remove_all(nalu_attachments *attachments) {
    CFDictionaryRef removed[2] = {NULL, NULL};
    pthread_mutex_lock(&attachments->lock);
    for (int mode = 0; mode < 2; mode++) {
        CFMutableDictionaryRef dictionary = attachments->dictionaries[mode];
        if (!dictionary) continue;
        removed[mode] = CFDictionaryCreateCopy(NULL, dictionary);
        CFDictionaryRemoveAllValues(dictionary);
    }
    pthread_mutex_unlock(&attachments->lock);
    for (int mode = 0; mode < 2; mode++)
        if (removed[mode]) CFRelease(removed[mode]);
}

void nalu_attachments_propagate(nalu_attachments *source, nalu_attachments *destination) {
    if (source == destination) return;
    CFDictionaryRef pairs = nalu_attachments_copy_all(source, true, NULL);
    if (!pairs) return;
    nalu_attachments_set_all(destination, pairs, true);
    CFRelease(pairs);
}
