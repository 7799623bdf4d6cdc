/* Attachments of a CVBuffer and of a CMAttachmentBearer: two dictionaries, of which one is copied along to what is made
 * from the bearer. A key is in one of them only. Every function may be called from any thread. */
#ifndef NALU_VT_ATTACHMENTS_H
#define NALU_VT_ATTACHMENTS_H

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct nalu_attachments {
    pthread_mutex_t lock;
    /* [1] propagates. NULL before the first attachment; then never replaced, because clients hold what _get_all gave. */
    CFMutableDictionaryRef dictionaries[2];
} nalu_attachments;

void nalu_attachments_init(nalu_attachments *attachments);
void nalu_attachments_destroy(nalu_attachments *attachments);

/* Replaces the value of `key`, in whichever mode it was attached. NULL as value removes it; NULL as key does nothing. */
void nalu_attachments_set(nalu_attachments *attachments, CFStringRef key, CFTypeRef value, bool propagates);

/* Sets every pair of a dictionary, with or without callbacks. Pairs with NULL are skipped. */
void nalu_attachments_set_all(nalu_attachments *attachments, CFDictionaryRef pairs, bool propagates);

/* The value, or NULL; `propagates` (may be NULL) receives its mode if there is one. _copy returns a reference. */
CFTypeRef nalu_attachments_get(nalu_attachments *attachments, CFStringRef key, bool *propagates);
CFTypeRef nalu_attachments_copy(nalu_attachments *attachments, CFStringRef key, bool *propagates);

/* The attachments of one mode, or NULL if there are none. _get_all returns the dictionary itself, which lives as long as
 * the bearer and changes with it. */
CFDictionaryRef nalu_attachments_get_all(nalu_attachments *attachments, bool propagates);
CFDictionaryRef nalu_attachments_copy_all(nalu_attachments *attachments, bool propagates, CFAllocatorRef allocator);

void nalu_attachments_remove(nalu_attachments *attachments, CFStringRef key);
void nalu_attachments_remove_all(nalu_attachments *attachments);

/* Sets what propagates of `source` on `destination`. */
void nalu_attachments_propagate(nalu_attachments *source, nalu_attachments *destination);

#endif
