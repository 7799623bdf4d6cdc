/* The attachments of a CVBuffer or of a CMAttachmentBearer: two dictionaries. One of them propagates: its pairs are
 * copied to objects that are made from the bearer. A key is in at most one of the two. Every function may be called
 * from any thread. */
#ifndef NALU_VT_ATTACHMENTS_H
#define NALU_VT_ATTACHMENTS_H

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct nalu_attachments {
    pthread_mutex_t lock;
    /* [1] propagates. NULL before the first attachment; never replaced after that, because clients hold the dictionary
     * that nalu_attachments_get_all returned. */
    CFMutableDictionaryRef dictionaries[2];
} nalu_attachments;

void nalu_attachments_init(nalu_attachments *attachments);
void nalu_attachments_destroy(nalu_attachments *attachments);

/* Replaces the value of `key`, in whichever mode it was attached. NULL as `value` removes the attachment; NULL as `key`
 * does nothing. */
void nalu_attachments_set(nalu_attachments *attachments, CFStringRef key, CFTypeRef value, bool propagates);

/* Sets every pair of a dictionary, which may have been made with or without callbacks. Skips pairs with NULL. */
void nalu_attachments_set_all(nalu_attachments *attachments, CFDictionaryRef pairs, bool propagates);

/* Returns the value of `key`, or NULL. If there is a value, `propagates` (may be NULL) receives its mode. _copy returns
 * a reference, _get does not. */
CFTypeRef nalu_attachments_get(nalu_attachments *attachments, CFStringRef key, bool *propagates);
CFTypeRef nalu_attachments_copy(nalu_attachments *attachments, CFStringRef key, bool *propagates);

/* Returns the attachments of one mode, or NULL if there are none. _get_all returns the dictionary itself, which lives
 * as long as the bearer and changes with it. */
CFDictionaryRef nalu_attachments_get_all(nalu_attachments *attachments, bool propagates);
CFDictionaryRef nalu_attachments_copy_all(nalu_attachments *attachments, bool propagates, CFAllocatorRef allocator);

void nalu_attachments_remove(nalu_attachments *attachments, CFStringRef key);
void nalu_attachments_remove_all(nalu_attachments *attachments);

/* Copies the propagating attachments of `source` to `destination`. */
void nalu_attachments_propagate(nalu_attachments *source, nalu_attachments *destination);

#endif
