/*
 * VideoToolbox/VTMultiPassStorage.h - what an encoder learns from pass to pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTMULTIPASSSTORAGE_H
#define VTMULTIPASSSTORAGE_H

#include <CoreMedia/CMTimeRange.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* Files in which the passes of one session keep what they learn. The last release closes it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTMultiPassStorage *VTMultiPassStorageRef;

VT_EXPORT CFTypeID VTMultiPassStorageGetTypeID(void);

/* An option, CFBoolean: keep the file at fileURL when the storage ends. Accepted without effect:
 * files are always removed, since no later session could use them. */
VT_EXPORT const CFStringRef kVTMultiPassStorageCreationOption_DoNotDelete;

/* Creates a storage. Give it to a session as kVTCompressionPropertyKey_MultiPassStorage.
 *
 * fileURL: the URL of a file that does not exist yet. The storage keeps its files in a directory
 *   of its own next to that file, "nalu-passes-" and six letters or digits, and makes no file at
 *   the URL itself. NULL means the directory for temporary files (TMPDIR, else /tmp).
 * timeRange: the clip's. It may be invalid; the frames say where a clip begins and ends.
 * options: NULL, or the key above.
 * Returns: kVTParameterErr for a URL that is not of a file; kVTMultiPassStorageInvalidErr if
 *   something exists at the URL, which stays as it is, since no storage of a former session can be
 *   used again; and if files cannot be written there. */
VT_EXPORT OSStatus VTMultiPassStorageCreate(CFAllocatorRef _Nullable allocator,
    CFURLRef _Nullable fileURL, CMTimeRange timeRange, CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED VTMultiPassStorageRef _Nullable *_Nonnull multiPassStorageOut)
    CM_SWIFT_NAME("VTMultiPassStorageCreate(allocator:fileURL:timeRange:options:"
                  "multiPassStorageOut:)");

/* Removes the files. No session accepts the storage afterwards. If a session still uses it, the
 * files are removed when that session ends. */
VT_EXPORT OSStatus VTMultiPassStorageClose(VTMultiPassStorageRef multiPassStorage);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
