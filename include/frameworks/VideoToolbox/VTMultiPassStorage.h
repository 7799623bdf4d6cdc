/**
 * @file
 * The statistics that an encoder passes from pass to pass.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTMULTIPASSSTORAGE_H
#define VTMULTIPASSSTORAGE_H

#include <CoreMedia/CMTimeRange.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** Files in which the passes of one session store their statistics. The last release closes it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTMultiPassStorage *VTMultiPassStorageRef;

VT_EXPORT CFTypeID VTMultiPassStorageGetTypeID(void);

/**
 * An option, CFBoolean: keep the file at fileURL after the storage is released. Accepted without
 * effect: files are always removed, because no later session could use them.
 */
VT_EXPORT const CFStringRef kVTMultiPassStorageCreationOption_DoNotDelete;

/**
 * Creates a storage. Set it as kVTCompressionPropertyKey_MultiPassStorage of a session.
 *
 * fileURL: the URL of a file that does not exist yet. The storage creates no file at the URL
 *   itself. It creates its own directory next to it, named "nalu-passes-" and six letters or
 *   digits, for its files. NULL means the directory for temporary files (TMPDIR, or /tmp).
 * timeRange: the range of the video. It may be invalid; the frames determine the range. options:
 * NULL, or the key above. Returns: kVTParameterErr for a URL that is not a file URL.
 * kVTMultiPassStorageInvalidErr if files
 *   cannot be written at the URL, and if something exists there. This remains unchanged: no storage
 *   of a former session can be used again.
 */
VT_EXPORT OSStatus VTMultiPassStorageCreate(CFAllocatorRef _Nullable allocator,
    CFURLRef _Nullable fileURL, CMTimeRange timeRange, CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED VTMultiPassStorageRef _Nullable *_Nonnull multiPassStorageOut)
    CM_SWIFT_NAME("VTMultiPassStorageCreate(allocator:fileURL:timeRange:options:"
                  "multiPassStorageOut:)");

/**
 * Removes the files. No session accepts the storage afterwards. If a session still uses the
 * storage, its files are removed when that session ends.
 */
VT_EXPORT OSStatus VTMultiPassStorageClose(VTMultiPassStorageRef multiPassStorage);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
