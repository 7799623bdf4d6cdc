/* The message that nalu_last_error_message returns after a function of this library has failed. libnalu sets the message if
 * libnalu refuses the call. */
#ifndef NALU_VT_ERROR_MESSAGE_H
#define NALU_VT_ERROR_MESSAGE_H

#include <CoreFoundation/CoreFoundation.h>

/* Begins a call: forgets the message of an earlier failure. */
void nalu_error_begin(void);

/* Ends a call, and returns `status`. Sets a message if the call has failed and libnalu has set none. `key` is the property
 * that the call was about, or NULL. */
OSStatus nalu_error_end(OSStatus status, const char *function, CFTypeRef key);

/* Sets the message of a failure that libnalu has not seen, and returns `status`. */
OSStatus nalu_error_set(OSStatus status, const char *function, CFTypeRef key);

#endif
