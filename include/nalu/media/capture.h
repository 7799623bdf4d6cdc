/**
 * @file
 * Capture: pictures of cameras and screens and audio of microphones, as they happen.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. docs/live.md
 * describes the kinds of devices and what each needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_CAPTURE_H
#define NALU_MEDIA_CAPTURE_H

#include "../base.h"
#include "../pixel_buffer.h"
#include "../session.h"
#include "../time.h"
#include "delay.h"

NALU_BEGIN_DECLS

/**
 * Returns the current host time: CLOCK_MONOTONIC in units of 1 / 1,000,000,000 s. All times of
 * captured pictures and audio are on this clock, so that the difference of both is a delay.
 */
NALU_API nalu_time nalu_capture_get_host_time(void);

/* ---- Devices -------------------------------------------------------------------------------- */

/** The kinds of devices, as bits for lists. */
enum {
    NALU_CAPTURE_CAMERA = 1u << 0,
    NALU_CAPTURE_SCREEN = 1u << 1,
    NALU_CAPTURE_MICROPHONE = 1u << 2,
    /** The test source: pictures and audio that need no device. */
    NALU_CAPTURE_TEST = 1u << 3,
    NALU_CAPTURE_ALL_KINDS = 15u
};

/** The media of a format. The numbers are those of kCMMediaType_Video and kCMMediaType_Audio. */
#define NALU_CAPTURE_MEDIA_VIDEO ((nalu_four_char_code)0x76696465u) /**< 'vide' */
#define NALU_CAPTURE_MEDIA_AUDIO ((nalu_four_char_code)0x736f756eu) /**< 'soun' */

/**
 * A camera, screen, microphone or test source, as it was when it was listed. Immutable and
 * reference-counted. A device that has been unplugged stays a valid object.
 */
typedef struct nalu_capture_device nalu_capture_device;

/**
 * A format in which a device delivers pictures or audio. Set struct_size before a call that fills
 * the struct.
 *
 * A video format is a range of sizes and of frame rates. A camera usually has one size and one rate
 * in each format. A video format has sample_rate and channel_count 0; an audio format has the other
 * fields 0.
 */
typedef struct nalu_capture_format {
    uint32_t struct_size;              /**< sizeof(nalu_capture_format) */
    nalu_four_char_code media_type;    /**< NALU_CAPTURE_MEDIA_... */
    nalu_pixel_format pixel_format;    /**< the format of the pixel buffers without conversion */
    int32_t minimum_width;             /**< pixels */
    int32_t minimum_height;            /**< pixels */
    int32_t maximum_width;             /**< pixels */
    int32_t maximum_height;            /**< pixels */
    int32_t sample_rate;               /**< audio frames per second */
    int32_t channel_count;             /**< audio channels */
    /**
     * The matrix of YUV pictures as a code of ITU-T H.273 table 4, for the property YCbCrMatrix; 0
     * if the device states none. Only in the format of a session.
     */
    uint32_t ycbcr_matrix;
    nalu_time minimum_frame_duration;  /**< the inverse of the highest frame rate */
    nalu_time maximum_frame_duration;  /**< the inverse of the lowest frame rate */
} nalu_capture_format;

#define NALU_CAPTURE_FORMAT_INIT \
    {(uint32_t)sizeof(nalu_capture_format), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0}, {0, 0, 0, 0}}

/** A list of devices at one moment. Immutable and reference-counted. */
typedef struct nalu_capture_device_list nalu_capture_device_list;

/**
 * Lists the devices that are present. The test source is always present. A kind whose library or
 * server is missing has no devices: nalu_capture_device_create_with_id("camera", ...) has the
 * reason as its error message.
 *
 * @param kinds NALU_CAPTURE_... bits, at least one.
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Threading
 * Waits for the servers of the devices, at most 2 seconds each.
 * @par Ownership
 * list_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_device_list_create(uint32_t kinds,
    nalu_capture_device_list **list_out);

/** Adds a reference, and returns list. */
NALU_API nalu_capture_device_list *nalu_capture_device_list_retain(nalu_capture_device_list *list);

/** Releases one reference. */
NALU_API void nalu_capture_device_list_release(nalu_capture_device_list *list);

/** Returns the number of devices. */
NALU_API size_t nalu_capture_device_list_get_count(const nalu_capture_device_list *list);

/**
 * Returns a device. Devices of one kind follow each other, the default device of the kind first.
 *
 * @par Ownership
 * The device lives as long as the list; nalu_capture_device_retain extends its life.
 */
NALU_API nalu_capture_device *nalu_capture_device_list_get_device(
    const nalu_capture_device_list *list, size_t index);

/**
 * Returns the device with an identifier.
 *
 * @param identifier an identifier of nalu_capture_device_get_id; or "camera", "screen",
 *   "microphone" or "test" for the default device of that kind; or, for screens,
 *   "x11:DISPLAY" for any X display, "x11:DISPLAY/0xWINDOW" for one of its windows,
 *   "x11:DISPLAY/MONITOR" for one of its monitors, and "portal" for a screen or window of Wayland
 *   that the user chooses; or, for cameras, "v4l2:PATH".
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE there is no such device; the error message lists those
 *   that exist, or names the package or server that is missing
 * @par Threading
 * Waits as nalu_capture_device_list_create does.
 * @par Ownership
 * device_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_device_create_with_id(const char *identifier,
    nalu_capture_device **device_out);

/** Adds a reference, and returns device. */
NALU_API nalu_capture_device *nalu_capture_device_retain(nalu_capture_device *device);

/** Releases one reference. */
NALU_API void nalu_capture_device_release(nalu_capture_device *device);

/** @{ */
/**
 * Return the identifier, which is the same each time the device is listed, and the name for people.
 * UTF-8. The pointers live as long as the device; NULL for an object of another kind.
 */
NALU_API const char *nalu_capture_device_get_id(const nalu_capture_device *device);
NALU_API const char *nalu_capture_device_get_name(const nalu_capture_device *device);
/** @} */

/** Returns the kind: one of NALU_CAPTURE_CAMERA, SCREEN, MICROPHONE and TEST. */
NALU_API uint32_t nalu_capture_device_get_kind(const nalu_capture_device *device);

/** Returns the number of formats. */
NALU_API size_t nalu_capture_device_get_format_count(const nalu_capture_device *device);

/**
 * Reads a format. The first format of each media type is the default.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE index
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_device_get_format(
    const nalu_capture_device *device, size_t index, nalu_capture_format *format_out);

/* ---- Devices that arrive and leave ---------------------------------------------------------- */

/** Reports devices that arrive and leave. Reference-counted. */
typedef struct nalu_capture_device_watcher nalu_capture_device_watcher;

/**
 * Receives a device that has arrived or left.
 *
 * The first calls report the devices that are present when the watcher is created, so that no
 * device is missed between a list and a watcher. Calls for one watcher never overlap. No lock is
 * held during the call.
 *
 * @param is_present 1 for a device that has arrived, 0 for one that has left.
 * @par Threading
 * The watcher's own thread. C++ exceptions and longjmp must not leave the callback.
 * @par Ownership
 * device is valid during the call; nalu_capture_device_retain extends its life.
 */
typedef void (*nalu_capture_device_callback)(void *refcon, nalu_capture_device *device,
    int32_t is_present);

/**
 * Creates a watcher. A device that arrives or leaves is reported within 2 seconds. A camera of the
 * kernel is opened once when it arrives, so that the watcher does not keep it awake.
 *
 * @param kinds NALU_CAPTURE_... bits, at least one.
 * @param refcon passed to the callback.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Ownership
 * watcher_out receives one reference. On failure destroy_refcon is not called.
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_device_watcher_create(uint32_t kinds,
    nalu_capture_device_callback callback, void *refcon, nalu_refcon_destructor destroy_refcon,
    nalu_capture_device_watcher **watcher_out);

/** Adds a reference, and returns watcher. */
NALU_API nalu_capture_device_watcher *nalu_capture_device_watcher_retain(
    nalu_capture_device_watcher *watcher);

/**
 * Releases one reference. The last release ends the watcher.
 *
 * @par Threading
 * The last release waits for the callback in progress, and no call begins after it returns. Inside
 * the callback it does not wait.
 */
NALU_API void nalu_capture_device_watcher_release(nalu_capture_device_watcher *watcher);

/* ---- Sessions ------------------------------------------------------------------------------- */

/**
 * Captures from a device until it is stopped. Reference-counted.
 *
 * @code{.c}
 * nalu_capture_device_create_with_id("camera", &device);
 * nalu_capture_session_create(device, NULL, &callbacks, refcon, NULL, &session);
 * nalu_capture_session_start(session);   // callbacks.video receives pixel buffers
 * ...
 * nalu_capture_session_stop(session);    // no callback begins after this
 * nalu_capture_session_release(session);
 * @endcode
 *
 * A session orders its calls internally, and different sessions share nothing. In a child process
 * after fork, the sessions of the parent are invalid: functions return NALU_STATUS_INVALID_SESSION,
 * a release does not wait, and neither callbacks nor destroy_refcon are called. The parent's own
 * sessions continue.
 */
typedef struct nalu_capture_session nalu_capture_session;

/**
 * Receives one picture. The rules hold for all three callbacks:
 *
 *  1. Calls of one callback never overlap. The video and the audio callback have one thread each,
 *     so a slow video callback does not delay audio.
 *  2. Pictures and audio blocks are delivered in the order of their times. The time of a picture is
 *     later than that of the picture before, also if a camera repeats times or goes back;
 *     docs/live.md has the rule.
 *  3. While the video callback runs, at most one picture waits. A newer picture replaces it, and
 *     the replaced one is dropped and counted as late.
 *  4. While the audio callback runs, up to one second of audio waits. The oldest audio beyond that
 *     is lost and counted.
 *  5. No lock is held during a call. The callback may read statistics and release the session.
 *     nalu_capture_session_start and nalu_capture_session_stop return NALU_STATUS_REENTRANT, since
 *     stopping would wait for this very call.
 *  6. Inside a callback, calls for another session do not wait: one that would wait returns
 *     NALU_STATUS_WOULD_BLOCK and has no effect, and a release does not wait. After
 *     nalu_callback_allow_waits they wait, unless that would cause a deadlock between the callbacks
 *     of several sessions.
 *  7. No call begins after nalu_capture_session_stop has returned.
 *
 * @param refcon the refcon given to nalu_capture_session_create.
 * @param buffer the picture. The callback may keep it; while all buffers of the pool are in use,
 *   pictures are dropped.
 * @param time the host time at which the picture was captured, in units of 1 / 1,000,000,000 s.
 * @param duration the time to the next picture at the session's frame rate, in the same units; the
 *   invalid time if the device has no fixed rate.
 * @param dropped_frames the pictures that were dropped between the previous call and this one.
 * @par Threading
 * A thread of the session. C++ exceptions and longjmp must not leave the callback.
 * @par Ownership
 * buffer is valid during the call; nalu_pixel_buffer_retain extends its life, also beyond the
 * session.
 */
typedef void (*nalu_capture_video_callback)(void *refcon, nalu_pixel_buffer *buffer,
    nalu_time time, nalu_time duration, uint32_t dropped_frames);

/** One block of captured audio. Later versions of the library can append fields. */
typedef struct nalu_capture_audio_block {
    uint32_t struct_size;   /**< the size of the struct in the loaded library */
    /** 1 if audio was lost before this block, or if it is the first block; else 0. */
    uint32_t is_discontinuous;
    int32_t sample_rate;    /**< nominal audio frames per second; the device's clock may differ */
    int32_t channel_count;  /**< 1 to 8 */
    uint32_t frame_count;   /**< audio frames: a sample for each channel */
    uint32_t reserved;      /**< 0 */
    /** frame_count * channel_count interleaved samples, nominally -1 to 1. */
    const float *samples;
    /** The host time at which the first audio frame was captured, in 1 / 1,000,000,000 s. */
    nalu_time time;
} nalu_capture_audio_block;

/**
 * Receives one block of audio, under the rules of nalu_capture_video_callback.
 *
 * @par Ownership
 * block and its samples are valid during the call.
 */
typedef void (*nalu_capture_audio_callback)(void *refcon, const nalu_capture_audio_block *block);

/**
 * Receives the reason for which capture ended without nalu_capture_session_stop: the device was
 * unplugged, its server ended, the device failed, or the size of its pictures has changed although
 * options.width and height are 0. It is called once, after the last picture and
 * the last audio block, and not if nalu_capture_session_start fails. The session can be started
 * again once the callback has returned.
 *
 * nalu_capture_session_start returns when the format is known. A camera of PipeWire must deliver
 * its first picture within 5 seconds after that; otherwise the session ends at most a second later.
 * A screen of a portal may have no pictures while nothing changes, but must offer memory for them
 * within that time.
 *
 * @param status NALU_STATUS_INPUT_OUTPUT if the device or its server is gone, if the device runs
 *   and delivers no first picture, or if the size of its pictures has changed;
 *   NALU_STATUS_UNSUPPORTED_DATA_FORMAT if it offers no memory that can be read, for example only
 *   DMA-BUF; another failure if the device cannot continue.
 * @param message the error message of the status; valid during the call.
 * @par Threading
 * A thread of the session.
 */
typedef void (*nalu_capture_end_callback)(void *refcon, nalu_status status, const char *message);

/** The callbacks of a session. Start from NALU_CAPTURE_CALLBACKS_INIT. */
typedef struct nalu_capture_callbacks {
    uint32_t struct_size;               /**< sizeof(nalu_capture_callbacks) */
    uint32_t reserved;                  /**< 0 */
    nalu_capture_video_callback video;  /**< NULL: no pictures are captured */
    nalu_capture_audio_callback audio;  /**< NULL: no audio is captured */
    nalu_capture_end_callback end;      /**< NULL: the end is not reported */
} nalu_capture_callbacks;

#define NALU_CAPTURE_CALLBACKS_INIT {(uint32_t)sizeof(nalu_capture_callbacks), 0, NULL, NULL, NULL}

/** Flags of nalu_capture_options. */
enum {
    /** Draw the pointer into the pictures of a screen. Other devices refuse the flag. */
    NALU_CAPTURE_SHOW_CURSOR = 1u << 0
};

/** The options of a session. Start from NALU_CAPTURE_OPTIONS_INIT; 0 and NULL are the defaults. */
typedef struct nalu_capture_options {
    uint32_t struct_size; /**< sizeof(nalu_capture_options) */
    uint32_t flags;       /**< NALU_CAPTURE_SHOW_CURSOR */
    /**
     * The size of the pictures in pixels, 1 to NALU_MAX_DIMENSION. A camera uses the format that
     * fits best; if the sizes differ, pictures are scaled. Default: both 0, the device's size; for
     * the test source 1280 x 720. The test source needs at least 256 x 16.
     */
    int32_t width;
    int32_t height;
    /**
     * The format of the pictures. Pictures of another format are converted, which is possible to
     * '420v', '420f', 'y420', 'f420', 'x420' and 'xf20'. Default: 0, the device's format if no
     * scaling is needed, else '420v'.
     */
    nalu_pixel_format pixel_format;
    /** The most pixel buffers in use at a time, 4 to 256. Default: 0, meaning 16. */
    int32_t maximum_buffer_count;
    /**
     * The time from picture to picture, 1/1000 s to 10 s. A camera uses the frame rate that fits
     * best. Default: the invalid time, 1/30 s or the device's only rate.
     */
    nalu_time frame_duration;
    /**
     * The part of a screen, in pixels from its top left corner. It must lie inside the screen.
     * Default: all four 0, the entire screen. Other devices refuse a region.
     */
    int32_t region_x;
    int32_t region_y;
    int32_t region_width;
    int32_t region_height;
    /**
     * The device for audio. Default: NULL, the session's device if it has audio. Retained by the
     * session.
     */
    nalu_capture_device *audio_device;
    /** Audio frames per second, 8000 to 192000. Default: 0, meaning 48000. */
    int32_t sample_rate;
    /** Audio channels, 1 to 8. Default: 0, the device's channels, at most 2. */
    int32_t channel_count;
    /**
     * The longest time in seconds that nalu_capture_session_start waits for the device, 0.1 to 600:
     * people may have to permit the capture of a screen. Default: 0, meaning 10.
     */
    double start_timeout;
    /**
     * How often the desktop of a Wayland screen asks people for permission. NULL, the default: at
     * each start. "": at the first start; nalu_capture_session_copy_restore_token then returns a
     * token. An earlier token: not at all, unless the permission was revoked or the screen is gone.
     * At most 1023 bytes of UTF-8. Screens of X11 need no permission: they accept any text, and
     * have no token. Devices that are not screens refuse a token with NALU_STATUS_PARAMETER.
     */
    const char *restore_token;
} nalu_capture_options;

#define NALU_CAPTURE_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_capture_options), 0, 0, 0, 0, 0, {0, 0, 0, 0}, 0, 0, 0, 0, NULL, 0, 0, \
     0, NULL}

/** The counters and delays of a session since its last start. */
typedef struct nalu_capture_statistics {
    uint32_t struct_size;      /**< sizeof(nalu_capture_statistics) */
    uint32_t reserved;         /**< 0 */
    uint64_t captured_frames;  /**< pictures that arrived: delivered, dropped or waiting */
    uint64_t delivered_frames; /**< pictures whose callback has begun */
    uint64_t late_frames;      /**< pictures dropped because a newer one arrived before the call */
    uint64_t starved_frames;   /**< pictures dropped because all buffers were in use */
    /** Pictures that the device should have delivered by its frame rate, and did not. */
    uint64_t missed_frames;
    uint64_t audio_frames;      /**< audio frames that were delivered */
    uint64_t lost_audio_frames; /**< audio frames that were lost before the callback */
    /** Pictures per second over the last 64 callbacks; NaN before the second. */
    double frame_rate;
    nalu_delay capture;  /**< from the capture time to the arrival in the session */
    nalu_delay wait;     /**< from the arrival to the callback */
    nalu_delay callback; /**< inside the video callback */
    /**
     * Pictures of a camera whose own time was not on the host clock, or not after that of the
     * picture before; 0 for a camera that has stated no usable time yet.
     */
    uint64_t repaired_times;
} nalu_capture_statistics;

#define NALU_CAPTURE_STATISTICS_INIT \
    {(uint32_t)sizeof(nalu_capture_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0}, \
     {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, 0}

/**
 * Creates a session. The device is opened by nalu_capture_session_start.
 *
 * @param device the device, retained by the session.
 * @param options NULL for the defaults; read during the call only.
 * @param callbacks read during the call only. At least one of video and audio must be given, and
 *   the device or options->audio_device must have that medium.
 * @param refcon passed to the callbacks.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INVALID_SIZE width, height or region
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT pixel_format is unknown
 * @retval NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED the device's pictures cannot be converted or
 *   scaled to pixel_format
 * @retval NALU_STATUS_INVALID_TIME frame_duration
 * @retval NALU_STATUS_OUT_OF_RANGE another number, or frame_duration is out of range
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT a callback for a medium that the device does not have
 * @par Ownership
 * session_out receives one reference. On failure destroy_refcon is not called; the caller keeps
 * refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_session_create(nalu_capture_device *device,
    const nalu_capture_options *options, const nalu_capture_callbacks *callbacks, void *refcon,
    nalu_refcon_destructor destroy_refcon, nalu_capture_session **session_out);

/** Adds a reference, and returns session. */
NALU_API nalu_capture_session *nalu_capture_session_retain(nalu_capture_session *session);

/**
 * Releases one reference. The last release stops the session.
 *
 * @par Threading
 * The last release waits as nalu_capture_session_stop does. Inside a callback it does not wait: the
 * session ends when the callback has returned, and then destroy_refcon is called.
 */
NALU_API void nalu_capture_session_release(nalu_capture_session *session);

/**
 * Opens the device and begins to capture. Callbacks can begin before the function returns.
 * Statistics begin anew.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_ORDER the session is running; stop it first
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of the session
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 6)
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE a library that the device needs cannot be loaded;
 *   the error message names its package
 * @retval NALU_STATUS_INPUT_OUTPUT the device or its server cannot be opened, is gone, or delivers
 *   nothing within start_timeout; a camera of the kernel (v4l2:PATH) must deliver a picture
 * @retval NALU_STATUS_INVALID_SIZE the region is not inside the screen
 * @retval NALU_STATUS_CANCELLED the session was stopped meanwhile
 * @par Threading
 * Waits for the device, at most start_timeout.
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_session_start(nalu_capture_session *session);

/**
 * Stops capturing. NULL, or a session that is not running, does nothing and returns NALU_STATUS_OK.
 * A picture and audio blocks that wait are discarded. The session can be started again.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_REENTRANT the call was made from a callback of the session; nothing changes
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 6)
 * @par Threading
 * Waits for callbacks in progress and until the device is closed.
 */
NALU_API nalu_status nalu_capture_session_stop(nalu_capture_session *session);

/**
 * Returns 1 while the session captures; else 0. Inside a callback: 0 while another device of the
 * session is still being opened, and as soon as another thread stops the session.
 */
NALU_API int32_t nalu_capture_session_is_running(nalu_capture_session *session);

/**
 * Copies the token with which a later session captures the same screen without a dialog, as
 * nalu_capture_options.restore_token. "" before the first start, without that option, and if the
 * desktop remembers nothing: portals before version 4, or people who have not permitted it.
 *
 * A token serves once, and each start returns a new one: keep the newest. A session that is started
 * again uses its own newest token. Whoever has the token can capture the screen as this user.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_session_copy_restore_token(
    nalu_capture_session *session, char *buffer, size_t capacity, size_t *size_out);

/**
 * Reads the format of the pictures or of the audio that the callbacks receive. Minimum and maximum
 * sizes and durations are equal.
 *
 * @param media_type NALU_CAPTURE_MEDIA_VIDEO or NALU_CAPTURE_MEDIA_AUDIO.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the session has never been started, or does not capture
 *   that medium
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_session_get_format(nalu_capture_session *session,
    nalu_four_char_code media_type, nalu_capture_format *format_out);

/**
 * Reads the counters and delays. They stay readable after the session has been stopped.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_capture_session_get_statistics(
    nalu_capture_session *session, nalu_capture_statistics *statistics_out);

NALU_END_DECLS

#endif
