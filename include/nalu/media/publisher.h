/**
 * @file
 * Sends samples to an address: RTMP, SRT, UDP, HTTP PUT.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. docs/live.md
 * describes the queue, the controller and the behaviour of each protocol.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_PUBLISHER_H
#define NALU_MEDIA_PUBLISHER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "../session.h"
#include "reader.h"

NALU_BEGIN_DECLS

/**
 * Sends samples to an address. Reference-counted.
 *
 * @code{.c}
 * nalu_publisher *publisher = NULL;
 * status = nalu_publisher_create("rtmp://localhost/live/stream", NULL, NULL, NULL, NULL,
 *                                &publisher);
 * // before each frame:
 * nalu_publisher_advice advice = NALU_PUBLISHER_ADVICE_INIT;
 * status = nalu_publisher_prepare_frame(publisher, session, &advice);
 * if (!advice.skips_frame) {
 *     nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
 *     options.flags = advice.frame_flags;
 *     status = nalu_compression_session_encode_frame(session, ..., &options, NULL, NULL);
 * }
 * // for each sample, in decode order; the first one adds the track:
 * status = nalu_publisher_add_track(publisher, nalu_sample_get_format_description(sample), NULL);
 * status = nalu_publisher_write_sample(publisher, 0, sample);
 * // at the end:
 * status = nalu_publisher_finish(publisher, 5.0);
 * nalu_publisher_release(publisher);
 * @endcode
 *
 * Addresses, with the container that is sent:
 *
 * @code{.c}
 * rtmp://HOST[:PORT]/APPLICATION/NAME   FLV, H.264 only
 * rtmps://...                           the same over TLS; the system's FFmpeg only
 * srt://HOST:PORT[?latency=MILLISECONDS&passphrase=TEXT&pbkeylen=BYTES&streamid=TEXT]
 *                                       MPEG-TS; connects as the caller; needs libsrt
 * udp://HOST:PORT                       MPEG-TS in datagrams of 1316 bytes
 * http://HOST[:PORT]/PATH               MPEG-TS by PUT in chunks
 * https://...                           the same over TLS; the system's FFmpeg only
 * @endcode
 *
 * The publisher has a thread, which connects, sends, and connects again after a failure. The pauses
 * between attempts grow. The stream then continues with a new header and a key frame, at the times
 * of its samples. Handing in a sample never waits for the network. Samples are dropped and counted
 * while there is no connection, and when a sample has waited longer than twice the maximum delay.
 *
 * With rtmp(s) and http(s), libavformat also writes a line about a failed connection to FFmpeg's
 * log, which belongs to the program: av_log_set_level or av_log_set_callback turns it off.
 *
 * With rtmp and srt, nalu_publisher_prepare_frame makes the session's rate follow the link, and
 * skips frames before they are encoded if the link is slower than the minimum rate. udp and http
 * report nothing, so the rate stays.
 */
typedef struct nalu_publisher nalu_publisher;

/* ---- State ---------------------------------------------------------------------------------- */

/** The state of a publisher's connection. */
enum {
    /** A connection is being made, for the first time or again. */
    NALU_PUBLISHER_CONNECTING = 0,
    NALU_PUBLISHER_CONNECTED = 1,
    /** Waiting before the next attempt. */
    NALU_PUBLISHER_WAITING = 2,
    /** The publisher has stopped, and makes no further attempt. */
    NALU_PUBLISHER_ENDED = 3
};

/** The state and the counts of a publisher. */
typedef struct nalu_publisher_statistics {
    uint32_t struct_size; /**< sizeof(nalu_publisher_statistics), set by the caller */
    int32_t state;        /**< NALU_PUBLISHER_CONNECTING and so on */
    /**
     * The age of the oldest sample that the receiver has not acknowledged, in seconds: the delay
     * in the publisher's queue and in that of the system or of SRT. With udp only the
     * publisher's own queue is known.
     */
    double queue_delay;
    double longest_queue_delay; /**< the longest queue_delay that was seen, in seconds */
    uint64_t queued_bytes;      /**< bytes that the receiver has not acknowledged */
    double throughput;          /**< bits per second that were delivered in the last second */
    double round_trip;          /**< seconds; 0 if the protocol does not reveal it */
    int64_t bit_rate;           /**< the controller's rate in bits per second; 0 without one */
    uint64_t sent_samples;      /**< samples and audio packets that the system has taken */
    uint64_t sent_bytes;        /**< bytes that the system has taken */
    uint64_t dropped_samples;   /**< video samples that did not reach the receiver */
    uint64_t skipped_frames;    /**< calls of prepare_frame that set skips_frame */
    uint64_t reconnects;        /**< connections after the first */
} nalu_publisher_statistics;

/** The events of a publisher. */
typedef int32_t nalu_publisher_event;

enum {
    /** A connection exists. */
    NALU_PUBLISHER_EVENT_CONNECTED = 1,
    /**
     * The connection is lost, or an attempt has failed, and the next attempt follows.
     * nalu_publisher_copy_last_error returns the reason.
     */
    NALU_PUBLISHER_EVENT_DISCONNECTED = 2,
    /** The statistics, twice a second while there is a connection and no write waits. */
    NALU_PUBLISHER_EVENT_STATUS = 3,
    /** Samples were dropped since the last event. Another event follows at once. */
    NALU_PUBLISHER_EVENT_DROPPED = 4,
    /**
     * The publisher has ended after nalu_publisher_finish, or after attempt_limit failures. No
     * event follows.
     */
    NALU_PUBLISHER_EVENT_ENDED = 5
};

/**
 * Receives the events of a publisher. Calls never overlap.
 *
 * @param statistics valid during the call.
 * @par Threading
 * The publisher's thread, which sends nothing meanwhile. No lock is held. Inside the callback,
 * nalu_publisher_wait_until_connected, nalu_publisher_finish and nalu_publisher_invalidate return
 * NALU_STATUS_REENTRANT. C++ exceptions and longjmp must not leave the callback.
 */
typedef void (*nalu_publisher_callback)(void *refcon, nalu_publisher_event event,
    const nalu_publisher_statistics *statistics);

/* ---- Creation ------------------------------------------------------------------------------- */

/** Flags of nalu_publisher_options. */
enum {
    /**
     * nalu_publisher_prepare_frame never sets skips_frame, for a session whose samples are also
     * recorded. If the link is too slow, the publisher drops samples instead.
     */
    NALU_PUBLISHER_NEVER_SKIP_FRAMES = 1u << 0,
    /**
     * The receiver can decode a stream in which samples are missing, if the next sample refers to
     * none of them. After dropped samples prepare_frame then asks for an LTR refresh in place of a
     * key frame, unless there is an audio track. At most six frames wait in the publisher's own
     * queue, because the refresh refers to the frame before them. Set the flag only for a session
     * with NALU_PROPERTY_ENABLE_LTR.
     */
    NALU_PUBLISHER_ALLOW_LTR_REFRESH = 1u << 1,
    /**
     * rtmps and https connect even if the server's certificate is not trusted, has expired, or
     * belongs to another host. The connection is then encrypted, but anybody on the way can be its
     * other end, and learns the address and with it the stream's key.
     */
    NALU_PUBLISHER_ALLOW_ANY_CERTIFICATE = 1u << 2
};

/** Options of a publisher. Start from NALU_PUBLISHER_OPTIONS_INIT. */
typedef struct nalu_publisher_options {
    uint32_t struct_size; /**< sizeof(nalu_publisher_options) */
    uint32_t flags;       /**< NALU_PUBLISHER_... Default: 0 */
    /** The longest delay in the queue, 0.1 to 10 seconds. Default: 0, meaning 0.5. */
    double maximum_delay;
    /** The time in which a connection must be made, 0.5 to 60 seconds. Default: 0, meaning 5. */
    double connect_timeout;
    /**
     * The time after which a connection on which nothing moves is closed, 0.5 to 60 seconds.
     * Default: 0, meaning 5.
     */
    double stall_timeout;
    /**
     * The pause before the first attempt to reconnect, 0.05 to 60 seconds; each further pause is
     * twice as long, until a connection is not a failed attempt (see attempt_limit). Default: 0,
     * meaning 0.5.
     */
    double reconnect_delay;
    /** The longest pause, reconnect_delay to 600 seconds. Default: 0, meaning 10. */
    double maximum_reconnect_delay;
    /**
     * The number of failed attempts in succession after which the publisher ends, 1 to 1000000. An
     * attempt has failed if there is no connection, or if samples have passed over the connection
     * for at most stall_timeout: a server can refuse the stream after it has accepted the
     * connection. Default: 0, no limit.
     */
    int32_t attempt_limit;
    uint32_t reserved; /**< 0 */
    /**
     * The bounds of the rate, 10000 to 2000000000 bits per second. Default: 0: the maximum is the
     * session's AverageBitRate at the first nalu_publisher_prepare_frame, and the minimum is a
     * twentieth of the maximum.
     */
    int64_t minimum_bit_rate;
    int64_t maximum_bit_rate;
} nalu_publisher_options;

#define NALU_PUBLISHER_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_publisher_options), 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0}

/**
 * Creates a publisher, which begins to connect.
 *
 * @param url an address from the list above.
 * @param options NULL for the defaults.
 * @param callback NULL, or receives events.
 * @param refcon passed to callback.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER url has another form than the addresses above
 * @retval NALU_STATUS_OUT_OF_RANGE a number in options
 * @retval NALU_STATUS_CONFLICT minimum_bit_rate exceeds maximum_bit_rate
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg (load.h) or libsrt cannot be loaded, or
 *   FFmpeg lacks the protocol: the Python wheel has no TLS
 * @par Threading
 * Does not wait for the connection.
 * @par Ownership
 * publisher_out receives one reference. On failure destroy_refcon is not called.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_create(const char *url,
    const nalu_publisher_options *options, nalu_publisher_callback callback, void *refcon,
    nalu_refcon_destructor destroy_refcon, nalu_publisher **publisher_out);

/** Adds a reference, and returns publisher. */
NALU_API nalu_publisher *nalu_publisher_retain(nalu_publisher *publisher);

/**
 * Releases one reference. The last release ends the publisher like nalu_publisher_invalidate;
 * inside the callback it does not wait.
 */
NALU_API void nalu_publisher_release(nalu_publisher *publisher);

/**
 * Waits until there is a connection, so that a wrong address is noticed before anything is encoded.
 *
 * @param timeout 0 to 600 seconds.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE timeout
 * @retval NALU_STATUS_INPUT_OUTPUT an attempt has failed, or timeout has passed; later attempts
 *   follow
 * @retval NALU_STATUS_REENTRANT the call was made from the publisher's callback
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from a session's callback (session.h, rule 8)
 * @par Threading
 * Waits.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_wait_until_connected(nalu_publisher *publisher,
    double timeout);

/* ---- Tracks and samples --------------------------------------------------------------------- */

/**
 * Adds the video track, or an audio track for the samples of a nalu_audio_encoder, before the first
 * sample. A publisher has one video track. Samples of both are sorted by decode time; one waits
 * until the other track has one, for at most 0.5 s of its own track. Later audio is sent late.
 *
 * @param track_out NULL, or receives the number of the track.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT there is a video track already, or the format is
 *   H.265 and the address rtmp
 * @retval NALU_STATUS_OUT_OF_ORDER the publisher is finished
 * @par Ownership
 * The caller keeps its reference to format.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_add_track(nalu_publisher *publisher,
    nalu_format_description *format, uint32_t *track_out);

/**
 * Adds an audio track that is copied from a reader, as nalu_writer_add_track_from_reader does. The
 * reader never waits for the network.
 *
 * @param reader_track the number of the track in the reader.
 * @param track_out NULL, or receives the number of the track in the publisher.
 * @return the statuses of nalu_writer_add_track_from_reader.
 * @par Ownership
 * The reader retains the publisher's container, and the publisher ends independently of it.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_add_track_from_reader(
    nalu_publisher *publisher, nalu_reader *reader, uint32_t reader_track, uint32_t *track_out);

/**
 * Hands in the next sample of a track, in decode order. Samples before the first key frame, samples
 * without a connection, and samples of a queue that is too long are dropped, counted and reported
 * by NALU_PUBLISHER_EVENT_DROPPED; the status is NALU_STATUS_OK.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no such track
 * @retval NALU_STATUS_INVALID_TIME see nalu_writer_write_sample
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the sample's codec is not the track's
 * @retval NALU_STATUS_OUT_OF_ORDER the publisher is finished
 * @retval NALU_STATUS_INPUT_OUTPUT the publisher has ended after attempt_limit failures
 * @par Threading
 * Does not wait for the network.
 * @par Ownership
 * The caller may release the sample when the function returns.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_write_sample(nalu_publisher *publisher,
    uint32_t track, nalu_sample *sample);

/* ---- The next frame ------------------------------------------------------------------------- */

/** A publisher's instructions for the next frame. Start from NALU_PUBLISHER_ADVICE_INIT. */
typedef struct nalu_publisher_advice {
    uint32_t struct_size; /**< sizeof(nalu_publisher_advice) */
    /**
     * 1 if the frame must not be encoded, because it would arrive too late. Later frames do not
     * refer to it.
     */
    int32_t skips_frame;
    /**
     * Flags for nalu_frame_options: NALU_FRAME_FORCE_KEY_FRAME for the first frame of a connection
     * and after dropped samples; NALU_FRAME_FORCE_LTR_REFRESH in its place with
     * NALU_PUBLISHER_ALLOW_LTR_REFRESH.
     */
    uint32_t frame_flags;
    uint32_t reserved; /**< 0 */
    /**
     * The token of the last sample that has been sent and arrives before later ones, for
     * nalu_frame_options; -1 if there is none, and without NALU_PUBLISHER_ALLOW_LTR_REFRESH.
     */
    int64_t acknowledged_ltr_token;
} nalu_publisher_advice;

#define NALU_PUBLISHER_ADVICE_INIT {(uint32_t)sizeof(nalu_publisher_advice), 0, 0, 0, -1}

/**
 * Returns the instructions for the next frame, and sets the session's AverageBitRate and
 * DataRateLimits to the rate that the link can deliver. Call it before each frame.
 *
 * The rate changes with rtmp and srt only. It begins with the maximum, and it falls when the queue
 * becomes long. It rises again when the queue is short and the session uses the rate.
 *
 * @param session the session whose samples are published; NULL to leave its rate alone.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_CONFLICT the session has no AverageBitRate, and maximum_bit_rate is 0; or the
 *   session has another kind of rate control
 * @par Threading
 * Does not wait.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_prepare_frame(nalu_publisher *publisher,
    nalu_compression_session *session, nalu_publisher_advice *advice_out);

/* ---- State and end -------------------------------------------------------------------------- */

/**
 * Reads the state and the counts.
 *
 * @param statistics_out struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_get_statistics(nalu_publisher *publisher,
    nalu_publisher_statistics *statistics_out);

/**
 * Copies the reason for which there is no connection, or for which the publisher has ended; "" if
 * there is none.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_copy_last_error(nalu_publisher *publisher,
    char *buffer, size_t capacity, size_t *size_out);

/**
 * Sends all samples that were handed in, waits until the receiver has acknowledged them, and closes
 * the connection. With http(s) the server's answer must be 200 to 299; with srt the receiver's
 * latency must have passed. A second call does nothing.
 *
 * @param timeout 0 to 600 seconds for the rest of the queue and the receiver's answer.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE timeout
 * @retval NALU_STATUS_INPUT_OUTPUT there is no connection, the server has refused the stream, the
 *   receiver has acknowledged nothing for stall_timeout, or timeout has passed. The error message
 *   has the address without secrets, and the server's code or the reason.
 * @retval NALU_STATUS_REENTRANT the call was made from the publisher's callback
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from a session's callback (session.h, rule 8)
 * @par Threading
 * Waits.
 */
NALU_API NALU_NODISCARD nalu_status nalu_publisher_finish(nalu_publisher *publisher,
    double timeout);

/**
 * Ends the publisher without sending the rest. NULL, or a second call, does nothing and returns
 * NALU_STATUS_OK. The callback is not called afterwards.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_REENTRANT the call was made from the publisher's callback
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from a session's callback (session.h, rule 8)
 * @par Threading
 * Waits for the callback in progress and the end of the connection, about a second at most, and for
 * the system's resolver if it is looking up a name.
 */
NALU_API nalu_status nalu_publisher_invalidate(nalu_publisher *publisher);

NALU_END_DECLS

#endif
