// Runs the VideoToolboxEncoder and VideoToolboxDecoder of mediastreamer2 (Linphone) as its filters do. Replaces
// the few functions of mediastreamer2, ortp and bctoolbox that they call.
//
// usage: host CLIP WIDTH HEIGHT FRAMES STREAM PICTURES KILOBITS KEY_FRAME CHANGE KILOBITS
//
// CLIP: I420. STREAM: the encoder's output, with start codes. PICTURES: the decoder's output, I420. KEY_FRAME:
// the frame at which a key frame is requested. CHANGE: the frame at which the rate changes. Prints a line with
// the size of each encoded frame.
#include "h26x/videotoolbox-decoder.h"
#include "h26x/videotoolbox-encoder.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using namespace mediastreamer;

namespace {
constexpr int rate = 25;
constexpr int time_limit = 20000; // milliseconds

int width, height, errors;

size_t picture_size() { return size_t(width) * size_t(height) * 3 / 2; }

void lay_out(MSPicture *picture, uint8_t *bytes, int w, int h) {
    *picture = {};
    picture->w = w;
    picture->h = h;
    picture->planes[0] = bytes;
    picture->planes[1] = bytes + w * h;
    picture->planes[2] = picture->planes[1] + (w / 2) * (h / 2);
    picture->strides[0] = w;
    picture->strides[1] = picture->strides[2] = w / 2;
}
} // namespace

// ---- Replacements ----

extern "C" {
void bctbx_logv(const char *, BctbxLogLevel level, const char *format, va_list arguments) {
    if (!(level & (BCTBX_LOG_ERROR | BCTBX_LOG_FATAL))) return;
    errors++;
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void *ortp_malloc(size_t size) { return malloc(size); }
void *ortp_malloc0(size_t size) { return calloc(1, size); }
void ortp_free(void *bytes) { free(bytes); }
void ms_filter_notify(MSFilter *, unsigned int, void *) {}

MSYuvBufAllocator *ms_yuv_buf_allocator_new(void) { return nullptr; }
void ms_yuv_buf_allocator_free(MSYuvBufAllocator *) {}

mblk_t *ms_yuv_buf_allocator_get(MSYuvBufAllocator *, MSPicture *picture, int w, int h) {
    const size_t size = size_t(w) * size_t(h) * 3 / 2;
    mblk_t *block = allocb(size, 0);
    lay_out(picture, block->b_wptr, w, h);
    block->b_wptr += size;
    return block;
}

int ms_yuv_buf_init_from_mblk(MSPicture *picture, mblk_t *block) {
    lay_out(picture, block->b_rptr, width, height);
    return 0;
}

void ms_yuv_buf_copy(uint8_t *from[], const int from_strides[], uint8_t *to[], const int to_strides[], MSVideoSize size) {
    for (int plane = 0; plane < 3; plane++) {
        const int columns = plane ? size.width / 2 : size.width, rows = plane ? size.height / 2 : size.height;
        for (int row = 0; row < rows; row++)
            memcpy(to[plane] + row * to_strides[plane], from[plane] + row * from_strides[plane], size_t(columns));
    }
}
}

// ---- The run ----

// Calls `step` until it returns true or the time limit is reached.
template <typename Step> bool wait_for(Step step) {
    for (int waited = 0; waited < time_limit; waited += 5) {
        if (step()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

static void write_nalus(MSQueue *nalus, FILE *stream) {
    size_t size = 0;
    for (mblk_t *nalu = ms_queue_peek_first(nalus); !ms_queue_end(nalus, nalu); nalu = ms_queue_next(nalus, nalu)) {
        fwrite("\0\0\0\1", 1, 4, stream);
        fwrite(nalu->b_rptr, 1, msgdsize(nalu), stream);
        size += msgdsize(nalu) + 4;
    }
    printf("%zu\n", size);
}

int main(int count, char **arguments) {
    if (count != 11) return 2;
    width = atoi(arguments[2]);
    height = atoi(arguments[3]);
    const int frames = atoi(arguments[4]), key_frame = atoi(arguments[8]), change = atoi(arguments[9]);
    FILE *clip = fopen(arguments[1], "rb"), *stream = fopen(arguments[5], "wb"), *pictures = fopen(arguments[6], "wb");
    if (!clip || !stream || !pictures) return 2;

    VideoToolboxEncoder encoder("video/avc");
    VideoToolboxDecoder decoder("video/avc");
    encoder.setVideoSize({width, height});
    encoder.setFps(rate);
    encoder.setBitrate(atoi(arguments[7]) * 1000);
    encoder.start();
    if (!encoder.isRunning()) return 1;
    int encoded = 0, decoded = 0;
    auto fetch_encoded = [&] {
        MSQueue nalus;
        ms_queue_init(&nalus);
        while (encoder.fetch(&nalus)) {
            write_nalus(&nalus, stream);
            if (!decoder.feed(&nalus, uint64_t(encoded) * 1000 / rate)) fprintf(stderr, "frame %d is not taken\n", encoded);
            ms_queue_flush(&nalus);
            encoded++;
        }
        return encoded == frames;
    };
    auto fetch_decoded = [&] {
        mblk_t *picture = nullptr;
        for (VideoDecoder::Status status; (status = decoder.fetch(picture)) != VideoDecoder::noFrameAvailable; decoded++) {
            if (status != VideoDecoder::noError) continue;
            fwrite(picture->b_rptr, 1, msgdsize(picture), pictures);
            freemsg(picture);
        }
        return decoded == frames;
    };
    for (int number = 0; number < frames; number++) {
        mblk_t *picture = allocb(picture_size(), 0);
        if (fread(picture->b_wptr, 1, picture_size(), clip) != picture_size()) return 2;
        picture->b_wptr += picture_size();
        if (number == change) encoder.setBitrate(atoi(arguments[10]) * 1000);
        encoder.feed(picture, uint64_t(number) * 1000 / rate, number == key_frame);
        fetch_encoded();
        fetch_decoded();
    }
    if (!wait_for(fetch_encoded)) fprintf(stderr, "%d of %d frames encoded\n", encoded, frames), errors++;
    if (!wait_for(fetch_decoded)) fprintf(stderr, "%d of %d frames decoded\n", decoded, frames), errors++;
    encoder.stop();
    fclose(clip);
    return fclose(stream) == 0 && fclose(pictures) == 0 && errors == 0 ? 0 : 1;
}
