/*
 * The functions of FFmpeg that Nalu uses, one row each: X(result, name, parameters, arguments).
 *
 * Swift and shim.h call a function by FFmpeg's name. shim.h gives the function another symbol, and
 * dispatch.c defines that symbol. A function that is missing in this list keeps FFmpeg's symbol,
 * and linking libnalu fails.
 */
#ifndef NALU_CFFMPEG_FUNCTIONS_H
#define NALU_CFFMPEG_FUNCTIONS_H

/* These headers declare no functions. */
#include <libavcodec/version.h>
#include <libavformat/version.h>
#include <libavutil/version.h>
#include <libswresample/version.h>

#define NALU_FFMPEG_UTIL_FUNCTIONS(X) \
    X(int, av_buffer_realloc, (AVBufferRef **buf, size_t size), (buf, size)) \
    X(AVBufferRef *, av_buffer_ref, (const AVBufferRef *buf), (buf)) \
    X(void, av_buffer_unref, (AVBufferRef **buf), (buf)) \
    X(void, av_channel_layout_default, (AVChannelLayout *ch_layout, int nb_channels), (ch_layout, nb_channels)) \
    X(int, av_compare_ts, (int64_t ts_a, AVRational tb_a, int64_t ts_b, AVRational tb_b), (ts_a, tb_a, ts_b, tb_b)) \
    X(int, av_cpu_count, (void), ()) \
    X(void, av_dict_free, (AVDictionary **m), (m)) \
    X(AVDictionaryEntry *, av_dict_get, (const AVDictionary *m, const char *key, const AVDictionaryEntry *prev, \
        int flags), (m, key, prev, flags)) \
    X(int, av_dict_set, (AVDictionary **pm, const char *key, const char *value, int flags), (pm, key, value, flags)) \
    X(int, av_dict_set_int, (AVDictionary **pm, const char *key, int64_t value, int flags), (pm, key, value, flags)) \
    X(void, av_encryption_info_free, (AVEncryptionInfo *info), (info)) \
    X(AVEncryptionInfo *, av_encryption_info_get_side_data, (const uint8_t *side_data, size_t side_data_size), \
        (side_data, side_data_size)) \
    X(AVFrame *, av_frame_alloc, (void), ()) \
    X(int, av_frame_apply_cropping, (AVFrame *frame, int flags), (frame, flags)) \
    X(void, av_frame_free, (AVFrame **frame), (frame)) \
    X(int, av_frame_get_buffer, (AVFrame *frame, int align), (frame, align)) \
    X(int, av_frame_make_writable, (AVFrame *frame), (frame)) \
    X(int, av_frame_ref, (AVFrame *dst, const AVFrame *src), (dst, src)) \
    X(void, av_free, (void *ptr), (ptr)) \
    X(void, av_freep, (void *ptr), (ptr)) \
    X(void, av_log_set_level, (int level), (level)) \
    X(void *, av_malloc, (size_t size), (size)) \
    X(void *, av_mallocz, (size_t size), (size)) \
    X(int, av_opt_set_chlayout, (void *obj, const char *name, const AVChannelLayout *layout, int search_flags), \
        (obj, name, layout, search_flags)) \
    X(int, av_opt_set_int, (void *obj, const char *name, int64_t val, int search_flags), \
        (obj, name, val, search_flags)) \
    X(int, av_opt_set_sample_fmt, (void *obj, const char *name, enum AVSampleFormat fmt, int search_flags), \
        (obj, name, fmt, search_flags)) \
    X(const AVPixFmtDescriptor *, av_pix_fmt_desc_get, (enum AVPixelFormat pix_fmt), (pix_fmt)) \
    X(int64_t, av_rescale, (int64_t a, int64_t b, int64_t c), (a, b, c)) \
    X(int, av_strerror, (int errnum, char *errbuf, size_t errbuf_size), (errnum, errbuf, errbuf_size))

/* The side data of a stream belongs to libavcodec from version 60.31 on, and to libavformat
 * before. */
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
#define NALU_FFMPEG_STREAM_SIDE_DATA_OF_CODEC(X) \
    X(const AVPacketSideData *, av_packet_side_data_get, (const AVPacketSideData *sd, int nb_sd, \
        enum AVPacketSideDataType type), (sd, nb_sd, type)) \
    X(AVPacketSideData *, av_packet_side_data_new, (AVPacketSideData **psd, int *pnb_sd, \
        enum AVPacketSideDataType type, size_t size, int flags), (psd, pnb_sd, type, size, flags))
#define NALU_FFMPEG_STREAM_SIDE_DATA_OF_FORMAT(X)
#else
#define NALU_FFMPEG_STREAM_SIDE_DATA_OF_CODEC(X)
#define NALU_FFMPEG_STREAM_SIDE_DATA_OF_FORMAT(X) \
    X(uint8_t *, av_stream_get_side_data, (const AVStream *stream, enum AVPacketSideDataType type, size_t *size), \
        (stream, type, size)) \
    X(uint8_t *, av_stream_new_side_data, (AVStream *stream, enum AVPacketSideDataType type, size_t size), \
        (stream, type, size))
#endif

#define NALU_FFMPEG_CODEC_FUNCTIONS(X) \
    X(int, av_bsf_alloc, (const AVBitStreamFilter *filter, AVBSFContext **ctx), (filter, ctx)) \
    X(void, av_bsf_free, (AVBSFContext **ctx), (ctx)) \
    X(const AVBitStreamFilter *, av_bsf_get_by_name, (const char *name), (name)) \
    X(int, av_bsf_init, (AVBSFContext *ctx), (ctx)) \
    X(int, av_bsf_receive_packet, (AVBSFContext *ctx, AVPacket *pkt), (ctx, pkt)) \
    X(int, av_bsf_send_packet, (AVBSFContext *ctx, AVPacket *pkt), (ctx, pkt)) \
    X(int, av_get_audio_frame_duration2, (AVCodecParameters *par, int frame_bytes), (par, frame_bytes)) \
    X(int, av_grow_packet, (AVPacket *pkt, int grow_by), (pkt, grow_by)) \
    X(int, av_new_packet, (AVPacket *pkt, int size), (pkt, size)) \
    X(AVPacket *, av_packet_alloc, (void), ()) \
    X(void, av_packet_free, (AVPacket **pkt), (pkt)) \
    X(uint8_t *, av_packet_get_side_data, (const AVPacket *pkt, enum AVPacketSideDataType type, size_t *size), (pkt, \
        type, size)) \
    X(int, av_packet_make_refcounted, (AVPacket *pkt), (pkt)) \
    X(void, av_packet_move_ref, (AVPacket *dst, AVPacket *src), (dst, src)) \
    X(uint8_t *, av_packet_new_side_data, (AVPacket *pkt, enum AVPacketSideDataType type, size_t size), (pkt, type, \
        size)) \
    X(void, av_packet_rescale_ts, (AVPacket *pkt, AVRational tb_src, AVRational tb_dst), (pkt, tb_src, tb_dst)) \
    X(void, av_packet_unref, (AVPacket *pkt), (pkt)) \
    X(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec)) \
    X(int, avcodec_default_get_buffer2, (AVCodecContext *s, AVFrame *frame, int flags), (s, frame, flags)) \
    X(enum AVPixelFormat, avcodec_default_get_format, (struct AVCodecContext *s, const enum AVPixelFormat *fmt), (s, \
        fmt)) \
    X(const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id)) \
    X(const AVCodec *, avcodec_find_encoder, (enum AVCodecID id), (id)) \
    X(const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name)) \
    X(void, avcodec_flush_buffers, (AVCodecContext *avctx), (avctx)) \
    X(void, avcodec_free_context, (AVCodecContext **avctx), (avctx)) \
    X(const char *, avcodec_get_name, (enum AVCodecID id), (id)) \
    X(int, avcodec_open2, (AVCodecContext *avctx, const AVCodec *codec, AVDictionary **options), (avctx, codec, \
        options)) \
    X(AVCodecParameters *, avcodec_parameters_alloc, (void), ()) \
    X(int, avcodec_parameters_copy, (AVCodecParameters *dst, const AVCodecParameters *src), (dst, src)) \
    X(void, avcodec_parameters_free, (AVCodecParameters **par), (par)) \
    X(int, avcodec_parameters_to_context, (AVCodecContext *codec, const AVCodecParameters *par), (codec, par)) \
    X(int, avcodec_receive_frame, (AVCodecContext *avctx, AVFrame *frame), (avctx, frame)) \
    X(int, avcodec_receive_packet, (AVCodecContext *avctx, AVPacket *avpkt), (avctx, avpkt)) \
    X(int, avcodec_send_frame, (AVCodecContext *avctx, const AVFrame *frame), (avctx, frame)) \
    X(int, avcodec_send_packet, (AVCodecContext *avctx, const AVPacket *avpkt), (avctx, avpkt)) \
    NALU_FFMPEG_STREAM_SIDE_DATA_OF_CODEC(X)

/* Bytes to write are const from libavformat 61 on. */
#if LIBAVFORMAT_VERSION_MAJOR < 61
#define NALU_FFMPEG_WRITTEN
#else
#define NALU_FFMPEG_WRITTEN const
#endif

#define NALU_FFMPEG_FORMAT_FUNCTIONS(X) \
    X(const AVInputFormat *, av_find_input_format, (const char *short_name), (short_name)) \
    X(const AVOutputFormat *, av_guess_format, (const char *short_name, const char *filename, \
        const char *mime_type), (short_name, filename, mime_type)) \
    X(int, av_index_search_timestamp, (AVStream *st, int64_t timestamp, int flags), (st, timestamp, flags)) \
    X(int, av_probe_input_buffer2, (AVIOContext *pb, const AVInputFormat **fmt, const char *url, void *logctx, \
        unsigned int offset, unsigned int max_probe_size), (pb, fmt, url, logctx, offset, max_probe_size)) \
    X(int, av_read_frame, (AVFormatContext *s, AVPacket *pkt), (s, pkt)) \
    X(int, av_seek_frame, (AVFormatContext *s, int stream_index, int64_t timestamp, int flags), (s, stream_index, \
        timestamp, flags)) \
    X(int, av_write_frame, (AVFormatContext *s, AVPacket *pkt), (s, pkt)) \
    X(int, av_write_trailer, (AVFormatContext *s), (s)) \
    X(AVFormatContext *, avformat_alloc_context, (void), ()) \
    X(int, avformat_alloc_output_context2, (AVFormatContext **ctx, const AVOutputFormat *oformat, \
        const char *format_name, const char *filename), (ctx, oformat, format_name, filename)) \
    X(void, avformat_close_input, (AVFormatContext **s), (s)) \
    X(int, avformat_find_stream_info, (AVFormatContext *ic, AVDictionary **options), (ic, options)) \
    X(void, avformat_free_context, (AVFormatContext *s), (s)) \
    X(int, avformat_index_get_entries_count, (const AVStream *st), (st)) \
    X(const AVIndexEntry *, avformat_index_get_entry, (AVStream *st, int idx), (st, idx)) \
    X(AVStream *, avformat_new_stream, (AVFormatContext *s, const AVCodec *c), (s, c)) \
    X(int, avformat_open_input, (AVFormatContext **ps, const char *url, const AVInputFormat *fmt, \
        AVDictionary **options), (ps, url, fmt, options)) \
    X(int, avformat_query_codec, (const AVOutputFormat *ofmt, enum AVCodecID codec_id, int std_compliance), (ofmt, \
        codec_id, std_compliance)) \
    X(int, avformat_write_header, (AVFormatContext *s, AVDictionary **options), (s, options)) \
    X(AVIOContext *, avio_alloc_context, (unsigned char *buffer, int buffer_size, int write_flag, void *opaque, \
        int (*read_packet)(void *, uint8_t *, int), int (*write_packet)(void *, NALU_FFMPEG_WRITTEN uint8_t *, int), \
        int64_t (*seek)(void *, int64_t, int)), (buffer, buffer_size, write_flag, opaque, read_packet, write_packet, \
        seek)) \
    X(int, avio_closep, (AVIOContext **s), (s)) \
    X(void, avio_context_free, (AVIOContext **s), (s)) \
    X(int, avio_feof, (AVIOContext *s), (s)) \
    X(const char *, avio_find_protocol_name, (const char *url), (url)) \
    X(void, avio_flush, (AVIOContext *s), (s)) \
    X(int, avio_open2, (AVIOContext **s, const char *url, int flags, const AVIOInterruptCB *int_cb, \
        AVDictionary **options), (s, url, flags, int_cb, options)) \
    X(int, avio_read_partial, (AVIOContext *s, unsigned char *buf, int size), (s, buf, size)) \
    X(int64_t, avio_seek, (AVIOContext *s, int64_t offset, int whence), (s, offset, whence)) \
    X(void, avio_write, (AVIOContext *s, const unsigned char *buf, int size), (s, buf, size)) \
    NALU_FFMPEG_STREAM_SIDE_DATA_OF_FORMAT(X)

/* The arrays of planes are const from libswresample 5 on. */
#if LIBSWRESAMPLE_VERSION_MAJOR < 5
#define NALU_FFMPEG_PLANES
#else
#define NALU_FFMPEG_PLANES const
#endif

#define NALU_FFMPEG_RESAMPLE_FUNCTIONS(X) \
    X(struct SwrContext *, swr_alloc, (void), ()) \
    X(int, swr_convert, (struct SwrContext *s, uint8_t *NALU_FFMPEG_PLANES *out, int out_count, \
        const uint8_t *NALU_FFMPEG_PLANES *in, int in_count), (s, out, out_count, in, in_count)) \
    X(void, swr_free, (struct SwrContext **s), (s)) \
    X(int64_t, swr_get_delay, (struct SwrContext *s, int64_t base), (s, base)) \
    X(int, swr_init, (struct SwrContext *s), (s)) \
    X(int, swr_set_compensation, (struct SwrContext *s, int sample_delta, int compensation_distance), \
        (s, sample_delta, compensation_distance))

#define NALU_FFMPEG_FUNCTIONS(X) \
    NALU_FFMPEG_UTIL_FUNCTIONS(X) \
    NALU_FFMPEG_RESAMPLE_FUNCTIONS(X) \
    NALU_FFMPEG_CODEC_FUNCTIONS(X) \
    NALU_FFMPEG_FORMAT_FUNCTIONS(X)

#endif
