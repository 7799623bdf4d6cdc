/* libnalumedia's functions for decoding. libVideoToolbox is not linked against that library, so that programs that only
 * encode never load FFmpeg. */
#ifndef NALU_VT_MEDIA_LIBRARY_H
#define NALU_VT_MEDIA_LIBRARY_H

#include <nalu/media/decompression_session.h>

typedef struct nalu_media_library {
    __typeof__(&nalu_decompression_session_create) create;
    __typeof__(&nalu_decompression_session_retain) retain;
    __typeof__(&nalu_decompression_session_release) release;
    __typeof__(&nalu_decompression_session_decode_frame) decode_frame;
    __typeof__(&nalu_decompression_session_finish_delayed_frames) finish_delayed_frames;
    __typeof__(&nalu_decompression_session_wait_for_asynchronous_frames) wait_for_asynchronous_frames;
    __typeof__(&nalu_decompression_session_can_accept_format_description) can_accept_format_description;
    __typeof__(&nalu_decompression_session_invalidate) invalidate;
} nalu_media_library;

/* Returns the functions of the library, which the first call loads: the one next to libnalu, otherwise the one that the
 * loader finds. Returns NULL if there is none, or if FFmpeg's libraries are missing. The next call tries again. */
const nalu_media_library *nalu_media_library_get(void);

#endif
