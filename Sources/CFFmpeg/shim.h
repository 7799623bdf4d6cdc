/*
 * FFmpeg for Swift. This header contains a helper if Swift cannot express it, or if FFmpeg's
 * releases differ in it. The oldest supported release is 5.1 (libavformat 59).
 */
#ifndef NALU_CFFMPEG_SHIM_H
#define NALU_CFFMPEG_SHIM_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"

/* ---- Nalu's own symbols -------------------------------------------------------------------------------------------
 *
 * Swift and the helpers below call FFmpeg's functions by name, and the compiler writes
 * nalu_ffmpeg_NAME. So these calls are never bound to FFmpeg's own symbols, whether or not the
 * program links FFmpeg. This block must precede FFmpeg's headers, because the compiler renames only
 * later declarations.
 */
#define NALU_FFMPEG_PRAGMA(text) _Pragma(#text)
#define NALU_FFMPEG_RENAME(result, name, parameters, arguments) \
    NALU_FFMPEG_PRAGMA(redefine_extname name nalu_ffmpeg_##name)
NALU_FFMPEG_FUNCTIONS(NALU_FFMPEG_RENAME)

/* In Swift, the pointers in these structs are unsafe, and the structs and their other fields are not. */
#ifdef __swift__
#define NALU_FFMPEG_SAFE __attribute__((swift_attr("safe")))
struct NALU_FFMPEG_SAFE AVBSFContext;
struct NALU_FFMPEG_SAFE AVChannelLayout;
struct NALU_FFMPEG_SAFE AVCodecContext;
struct NALU_FFMPEG_SAFE AVCodecParameters;
struct NALU_FFMPEG_SAFE AVBufferRef;
struct NALU_FFMPEG_SAFE AVFormatContext;
struct NALU_FFMPEG_SAFE AVFrame;
struct NALU_FFMPEG_SAFE AVIOContext;
struct NALU_FFMPEG_SAFE AVInputFormat;
struct NALU_FFMPEG_SAFE AVPacket;
struct NALU_FFMPEG_SAFE AVPixFmtDescriptor;
struct NALU_FFMPEG_SAFE AVStream;
#endif

#include "headers.h"

/* ---- Loading FFmpeg (dispatch.c) ---------------------------------------------------------------------------------- */

/*
 * Loads FFmpeg's libraries, unless they are loaded. Returns 0 when all functions of functions.h can
 * be called. If a library cannot be loaded, returns -1, and `message` names the library and its
 * package. The next call tries again. Any thread may call this function, also in the child of a
 * fork.
 */
int32_t nalu_ff_load(char *message, size_t capacity);

/* Sets FFmpeg's log level for the whole process: at once if FFmpeg is loaded, otherwise when it has
 * been loaded. */
void nalu_ff_set_log_level(int32_t level);

/* ---- Macros ------------------------------------------------------------------------------------------------------- */

static inline int32_t nalu_ff_error(int32_t number) { return AVERROR(number); }
static inline int32_t nalu_ff_out_of_memory(void) { return AVERROR(ENOMEM); }
static inline int32_t nalu_ff_again(void) { return AVERROR(EAGAIN); }
static inline int32_t nalu_ff_end_of_file(void) { return AVERROR_EOF; }
static inline int32_t nalu_ff_invalid_data(void) { return AVERROR_INVALIDDATA; }
/* Returns the errno number of an FFmpeg error; 0 if the error stands for none. */
static inline int32_t nalu_ff_errno(int32_t error) { return error < 0 && error > -4096 ? AVUNERROR(error) : 0; }

static inline int32_t nalu_ff_exit(void) { return AVERROR_EXIT; }
static inline int32_t nalu_ff_unknown(void) { return AVERROR_UNKNOWN; }
/*
 * Returns whether an allocation has failed on this thread since nalu_ff_forget_failed_allocations.
 * glibc's functions set errno in this case. FFmpeg reports some of these failures as corrupt data,
 * and others not at all. A failure that causes the first line of FFmpeg's log is not noticed:
 * FFmpeg then checks for a terminal, which sets errno too.
 */
static inline int32_t nalu_ff_has_failed_allocation(void) { return errno == ENOMEM; }
static inline void nalu_ff_forget_failed_allocations(void) { errno = 0; }
static inline int32_t nalu_ff_get_errno(void) { return errno; }
static inline void nalu_ff_set_errno(int32_t number) { errno = number; }

/* FFmpeg's value for a missing time. */
static inline int64_t nalu_ff_no_time(void) { return AV_NOPTS_VALUE; }

/* ---- Input --------------------------------------------------------------------------------------------------------- */

typedef int (*nalu_ff_read)(void *opaque, uint8_t *bytes, int size);
typedef int64_t (*nalu_ff_move)(void *opaque, int64_t offset, int whence);

static inline AVIOContext *nalu_ff_open_input(int32_t buffer_size, void *opaque, nalu_ff_read read, nalu_ff_move seek) {
    uint8_t *buffer = (uint8_t *)av_malloc((size_t)buffer_size);
    if (!buffer) return NULL;
    AVIOContext *io = avio_alloc_context(buffer, buffer_size, 0, opaque, read, NULL, seek);
    if (!io) av_free(buffer);
    return io;
}

/* Returns the scheme of an encrypted packet, for example 'cenc'; 0 if the packet is not encrypted.
 * Both forms of the first version of ISO/IEC 23001-7 have the scheme 'cenc'. */
static inline uint32_t nalu_ff_get_encryption(const AVPacket *packet) {
    size_t size = 0;
    const uint8_t *data = av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, &size);
    if (!data) return 0;
    AVEncryptionInfo *info = av_encryption_info_get_side_data(data, size);
    uint32_t scheme = info ? info->scheme : 0;
    av_encryption_info_free(info);
    return scheme ? scheme : 0x63656e63u;
}

/* Reads what the other end of a connection has sent, from a context that FFmpeg has opened for both
 * directions. The context itself only writes. Returns the number of bytes or an error. */
static inline int32_t nalu_ff_receive(AVIOContext *io, uint8_t *bytes, int32_t size) {
    return io->read_packet ? io->read_packet(io->opaque, bytes, size) : AVERROR(EIO);
}

/* Refuses to open other files, which a playlist, for example, can name. */
static inline int nalu_ff_refuse_open(AVFormatContext *demuxer, AVIOContext **io, const char *url, int flags,
                                      AVDictionary **options) {
    (void)demuxer, (void)url, (void)flags, (void)options;
    *io = NULL;
    return AVERROR(EACCES);
}

static inline void nalu_ff_open_nothing(AVFormatContext *demuxer) { demuxer->io_open = nalu_ff_refuse_open; }

/* Completes the audio parameters that muxers need and demuxers omit: the usual layout for this
 * number of channels, and the number of samples in a frame. */
static inline void nalu_ff_complete_audio(AVCodecParameters *parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
    int channels = parameters->ch_layout.nb_channels;
    if (channels > 0 && parameters->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&parameters->ch_layout, channels);
#endif
    if (parameters->frame_size <= 0) parameters->frame_size = av_get_audio_frame_duration2(parameters, 0);
    if (parameters->frame_size <= 0 && parameters->codec_id == AV_CODEC_ID_AAC) parameters->frame_size = 1024;
}

/* Returns the 3x3 matrix of ISO/IEC 14496-12 8.3.2; NULL if the stream has none. */
static inline const int32_t *nalu_ff_get_matrix(const AVStream *stream) {
    size_t size = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *data = av_packet_side_data_get(stream->codecpar->coded_side_data,
        stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    const uint8_t *bytes = data ? data->data : NULL;
    if (data) size = data->size;
#else
    const uint8_t *bytes = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
#endif
    return bytes && size >= 9 * sizeof(int32_t) ? (const int32_t *)(const void *)bytes : NULL;
}

/* Makes libavformat examine packets of all streams. The decoders that it opens for this accept no picture
 * with more pixels than `most_pixels`. */
static inline void nalu_ff_find_stream_facts(AVFormatContext *demuxer, int64_t most_pixels) {
    unsigned count = demuxer->nb_streams;
    AVDictionary **options = (AVDictionary **)av_mallocz((count ? count : 1) * sizeof *options);
    if (!options) return;
    for (unsigned index = 0; index < count; index++) av_dict_set_int(&options[index], "max_pixels", most_pixels, 0);
    avformat_find_stream_info(demuxer, options);
    for (unsigned index = 0; index < count; index++) av_dict_free(&options[index]);
    av_free(options);
}

/* ---- Output -------------------------------------------------------------------------------------------------------- */

typedef int (*nalu_ff_write)(void *opaque, const uint8_t *bytes, int size);
typedef int64_t (*nalu_ff_seek)(void *opaque, int64_t offset, int whence);

/* Bytes to write are const from libavformat 61 on. */
static inline AVIOContext *nalu_ff_open_output(int32_t buffer_size, void *opaque, nalu_ff_write write, nalu_ff_seek seek) {
    uint8_t *buffer = (uint8_t *)av_malloc((size_t)buffer_size);
    if (!buffer) return NULL;
#if LIBAVFORMAT_VERSION_MAJOR < 61
    AVIOContext *io = avio_alloc_context(buffer, buffer_size, 1, opaque, NULL,
        (int (*)(void *, uint8_t *, int))(void (*)(void))write, seek);
#else
    AVIOContext *io = avio_alloc_context(buffer, buffer_size, 1, opaque, NULL, write, seek);
#endif
    if (!io) av_free(buffer);
    return io;
}

static inline void nalu_ff_close_output(AVIOContext **io) {
    if (!*io) return;
    av_freep(&(*io)->buffer);
    avio_context_free(io);
}

/* ---- Reading back what was written --------------------------------------------------------------------------------
 *
 * To move the index to the beginning, the muxer opens its own output by name a second time, for
 * reading. These functions give the muxer the same descriptor, read at separate offsets. They are
 * in C, because releases differ in the functions that close a file (io_close and io_close2).
 */
typedef struct nalu_ff_reread {
    int32_t descriptor;
    int64_t place;
} nalu_ff_reread;

static inline int nalu_ff_reread_bytes(void *opaque, uint8_t *bytes, int size) {
    nalu_ff_reread *it = (nalu_ff_reread *)opaque;
    ssize_t count;
    do count = pread(it->descriptor, bytes, (size_t)size, it->place);
    while (count < 0 && errno == EINTR);
    if (count < 0) return AVERROR(errno);
    if (count == 0) return AVERROR_EOF;
    it->place += count;
    return (int)count;
}

static inline int64_t nalu_ff_reread_seek(void *opaque, int64_t offset, int whence) {
    nalu_ff_reread *it = (nalu_ff_reread *)opaque;
    if (whence != SEEK_SET) return AVERROR(EINVAL);
    return it->place = offset;
}

static inline int nalu_ff_reopen(AVFormatContext *muxer, AVIOContext **io, const char *url, int flags,
                                 AVDictionary **options) {
    enum { SIZE = 65536 };
    int32_t descriptor = (int32_t)(intptr_t)muxer->opaque;
    (void)url, (void)options;
    if ((flags & AVIO_FLAG_WRITE) || descriptor < 0) return AVERROR(EACCES);
    nalu_ff_reread *it = (nalu_ff_reread *)av_mallocz(sizeof *it);
    uint8_t *buffer = (uint8_t *)av_malloc(SIZE);
    if (it) it->descriptor = descriptor;
    *io = it && buffer ? avio_alloc_context(buffer, SIZE, 0, it, nalu_ff_reread_bytes, NULL, nalu_ff_reread_seek) : NULL;
    if (*io) return 0;
    av_free(it);
    av_free(buffer);
    return AVERROR(ENOMEM);
}

static inline int nalu_ff_reclose(AVFormatContext *muxer, AVIOContext *io) {
    (void)muxer;
    if (!io) return 0;
    av_free(io->opaque);
    av_free(io->buffer);
    avio_context_free(&io);
    return 0;
}

/* Lets the muxer read its own output. `descriptor` is -1 for an output that cannot be read. */
static inline void nalu_ff_set_reread(AVFormatContext *muxer, int32_t descriptor) {
    muxer->opaque = (void *)(intptr_t)descriptor;
    muxer->io_open = nalu_ff_reopen;
    muxer->io_close2 = nalu_ff_reclose;
}

/* ---- Tracks --------------------------------------------------------------------------------------------------------- */

static inline int nalu_ff_set_extradata(AVCodecParameters *parameters, const uint8_t *bytes, size_t size) {
    uint8_t *copy = (uint8_t *)av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, size);
    parameters->extradata = copy;
    parameters->extradata_size = (int)size;
    return 0;
}

/* Sets the 3x3 matrix of ISO/IEC 14496-12 8.3.2 for pictures of this size. They are mirrored from
 * left to right if `is_mirrored` is not 0, and then turned clockwise by `quarters` quarter turns.
 * FFmpeg 7 removed the matrix from AVStream. */
static inline int nalu_ff_set_orientation(AVStream *stream, int32_t quarters, int32_t is_mirrored, int32_t width,
    int32_t height) {
    const int32_t one = 1 << 16, w = (int32_t)((uint32_t)width << 16), h = (int32_t)((uint32_t)height << 16);
    const int32_t matrices[2][4][9] = {{
        {one, 0, 0, 0, one, 0, 0, 0, 1 << 30},
        {0, one, 0, -one, 0, 0, h, 0, 1 << 30},
        {-one, 0, 0, 0, -one, 0, w, h, 1 << 30},
        {0, -one, 0, one, 0, 0, 0, w, 1 << 30},
    }, {
        {-one, 0, 0, 0, one, 0, w, 0, 1 << 30},
        {0, -one, 0, -one, 0, 0, h, w, 1 << 30},
        {one, 0, 0, 0, -one, 0, 0, h, 1 << 30},
        {0, one, 0, one, 0, 0, 0, 0, 1 << 30},
    }};
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    AVPacketSideData *data = av_packet_side_data_new(&stream->codecpar->coded_side_data,
        &stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX, sizeof matrices[0][0], 0);
    uint8_t *bytes = data ? data->data : NULL;
#else
    uint8_t *bytes = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof matrices[0][0]);
#endif
    if (!bytes) return AVERROR(ENOMEM);
    memcpy(bytes, matrices[is_mirrored != 0][quarters & 3], sizeof matrices[0][0]);
    return 0;
}

/* Returns side data of a track, which the container states beside the codec parameters; NULL if the
 * track has none of this type. */
static inline const uint8_t *nalu_ff_get_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
    *size = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *data = av_packet_side_data_get(stream->codecpar->coded_side_data,
        stream->codecpar->nb_coded_side_data, type);
    if (data) *size = data->size;
    return data ? data->data : NULL;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}

static inline int nalu_ff_set_side_data(AVStream *stream, enum AVPacketSideDataType type, const uint8_t *bytes,
    size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    AVPacketSideData *data = av_packet_side_data_new(&stream->codecpar->coded_side_data,
        &stream->codecpar->nb_coded_side_data, type, size, 0);
    uint8_t *copy = data ? data->data : NULL;
#else
    uint8_t *copy = av_stream_new_side_data(stream, type, size);
#endif
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, size);
    return 0;
}

/* ---- Decoders ------------------------------------------------------------------------------------------------------- */

static inline int nalu_ff_set_decoder_extradata(AVCodecContext *decoder, const uint8_t *bytes, size_t size) {
    uint8_t *copy = (uint8_t *)av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, size);
    decoder->extradata = copy;
    decoder->extradata_size = (int)size;
    return 0;
}

/* Attaches parameter sets that apply from this packet on. */
static inline int nalu_ff_set_new_extradata(AVPacket *packet, const uint8_t *bytes, size_t size) {
    uint8_t *copy = av_packet_new_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, size);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, size);
    return 0;
}

/* Moves the bytes of a packet to a smaller buffer if its own is far too large. The packet keeps its
 * buffer if there is no memory. */
static inline void nalu_ff_shrink_packet(AVPacket *packet) {
    size_t size = packet->size > 0 ? (size_t)packet->size : 0, needed = size + AV_INPUT_BUFFER_PADDING_SIZE;
    if (!packet->buf || (size_t)packet->buf->size <= needed + 65536 || packet->data != packet->buf->data ||
        av_buffer_realloc(&packet->buf, needed) < 0)
        return;
    packet->data = packet->buf->data;
    memset(packet->data + size, 0, AV_INPUT_BUFFER_PADDING_SIZE);
}

typedef int (*nalu_ff_get_buffer)(AVCodecContext *decoder, AVFrame *frame, int flags);

/* Sets the function that allocates pictures. Several threads may call it at once, as is always so
 * from libavcodec 60 on. */
static inline void nalu_ff_set_get_buffer(AVCodecContext *decoder, nalu_ff_get_buffer get_buffer) {
    decoder->get_buffer2 = get_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60
    _Pragma("GCC diagnostic push")
    _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
    decoder->thread_safe_callbacks = 1;
    _Pragma("GCC diagnostic pop")
#endif
}

/* Sets a private option of a codec. Returns 0 or more if the codec has this option. */
static inline int nalu_ff_set_own_option(AVCodecContext *decoder, const char *name, int64_t value) {
    return av_opt_set_int(decoder->priv_data, name, value, 0);
}

/* Returns whether the rows of a decoded picture are two fields. nalu_ff_is_top_field_first returns
 * whether the field with the first row is earlier. */
static inline int32_t nalu_ff_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

static inline int32_t nalu_ff_is_top_field_first(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return frame->top_field_first;
#endif
}

/* ---- Audio encoders --------------------------------------------------------------------------------------------------- */

/* Sets the layout for 1 to 8 channels that an AAC channel configuration has; 7 channels have none. */
static inline void nalu_ff_set_audio_layout(AVChannelLayout *layout, int32_t channels) {
    const uint64_t masks[] = {0, AV_CH_LAYOUT_MONO, AV_CH_LAYOUT_STEREO, AV_CH_LAYOUT_SURROUND, AV_CH_LAYOUT_4POINT0,
        AV_CH_LAYOUT_5POINT0_BACK, AV_CH_LAYOUT_5POINT1_BACK, AV_CH_LAYOUT_6POINT1, AV_CH_LAYOUT_7POINT1};
    memset(layout, 0, sizeof *layout);
    layout->order = AV_CHANNEL_ORDER_NATIVE;
    layout->nb_channels = channels;
    layout->u.mask = masks[channels & 7 ? channels & 7 : 8];
}

/* Returns a resampler from interleaved PCM to planar float at the same rate; NULL if there is no memory. The filter
 * always runs, so that swr_set_compensation can change the rate at any time. */
static inline struct SwrContext *nalu_ff_open_resampler(const AVChannelLayout *layout, int32_t sample_rate,
    int32_t is_float) {
    struct SwrContext *resampler = swr_alloc();
    if (!resampler) return NULL;
    const enum AVSampleFormat format = is_float ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_S16;
    if (av_opt_set_chlayout(resampler, "in_chlayout", layout, 0) < 0 ||
        av_opt_set_chlayout(resampler, "out_chlayout", layout, 0) < 0 ||
        av_opt_set_int(resampler, "in_sample_rate", sample_rate, 0) < 0 ||
        av_opt_set_int(resampler, "out_sample_rate", sample_rate, 0) < 0 ||
        av_opt_set_sample_fmt(resampler, "in_sample_fmt", format, 0) < 0 ||
        av_opt_set_sample_fmt(resampler, "out_sample_fmt", AV_SAMPLE_FMT_FLTP, 0) < 0 ||
        av_opt_set_int(resampler, "flags", SWR_FLAG_RESAMPLE, 0) < 0 || swr_init(resampler) < 0)
        swr_free(&resampler);
    return resampler;
}

/* Resamples `count` interleaved frames into a planar frame, from its sample `filled` on. With `in` NULL, flushes the
 * resampler. Returns the number of samples written; excess input waits in the resampler. */
static inline int nalu_ff_resample(struct SwrContext *resampler, AVFrame *frame, int32_t filled, int32_t room,
    const uint8_t *in, int32_t count) {
    uint8_t *planes[8] = {NULL};
    for (int channel = 0; channel < frame->ch_layout.nb_channels && channel < 8; channel++)
        planes[channel] = frame->extended_data[channel] + (size_t)filled * sizeof(float);
    return swr_convert(resampler, planes, room, in ? &in : NULL, count);
}

/* ---- Audio decoders --------------------------------------------------------------------------------------------------- */

/* Returns a resampler from a decoded frame's format to interleaved stereo in float at another rate; NULL for a failure. */
static inline struct SwrContext *nalu_ff_open_stereo_resampler(const AVFrame *frame, int32_t sample_rate) {
    AVChannelLayout layout, stereo;
    /* Some containers state only the number of channels. */
    if (frame->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&layout, frame->ch_layout.nb_channels);
    else
        layout = frame->ch_layout;
    av_channel_layout_default(&stereo, 2);
    struct SwrContext *resampler = swr_alloc();
    if (!resampler) return NULL;
    if (av_opt_set_chlayout(resampler, "in_chlayout", &layout, 0) < 0 ||
        av_opt_set_chlayout(resampler, "out_chlayout", &stereo, 0) < 0 ||
        av_opt_set_int(resampler, "in_sample_rate", frame->sample_rate, 0) < 0 ||
        av_opt_set_int(resampler, "out_sample_rate", sample_rate, 0) < 0 ||
        av_opt_set_sample_fmt(resampler, "in_sample_fmt", (enum AVSampleFormat)frame->format, 0) < 0 ||
        av_opt_set_sample_fmt(resampler, "out_sample_fmt", AV_SAMPLE_FMT_FLT, 0) < 0 || swr_init(resampler) < 0)
        swr_free(&resampler);
    return resampler;
}

/* Returns the number of channels of a decoded frame. */
static inline int32_t nalu_ff_get_channel_count(const AVFrame *frame) { return frame->ch_layout.nb_channels; }

/* Resamples a decoded frame to interleaved float. Returns the number of frames written, or an error. */
static inline int nalu_ff_resample_frame(struct SwrContext *resampler, const AVFrame *frame, float *out, int32_t room) {
    uint8_t *planes[1] = {(uint8_t *)out};
    return swr_convert(resampler, planes, room, (const uint8_t **)frame->extended_data, frame->nb_samples);
}

#endif
