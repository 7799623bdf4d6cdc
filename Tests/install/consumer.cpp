// The same client in C++.
#include <nalu/nalu.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

struct Release {
    void operator()(nalu_compression_session *session) const { nalu_compression_session_release(session); }
};

static void gotFrame(void *refcon, void *, nalu_status status, nalu_encode_info_flags, nalu_sample *sample) {
    if (status != NALU_STATUS_OK || sample == nullptr) return;
    std::size_t size = 0;
    const std::uint8_t *data = nalu_sample_get_data(sample, &size);
    static_cast<std::vector<std::vector<std::uint8_t>> *>(refcon)->emplace_back(data, data + size);
}

int main() {
    std::vector<std::vector<std::uint8_t>> frames;
    nalu_compression_session *created = nullptr;
    nalu_status status = nalu_compression_session_create(320, 180, NALU_CODEC_H264, nullptr, nullptr, gotFrame, &frames,
                                                         nullptr, &created);
    const std::unique_ptr<nalu_compression_session, Release> session(created);
    for (int i = 0; i < 10 && status == NALU_STATUS_OK; i++) {
        const std::vector<std::uint8_t> pixels(320 * 180 * 4, static_cast<std::uint8_t>(i * 20));
        const void *planes[] = {pixels.data()};
        const std::int64_t strides[] = {320 * 4};
        status = nalu_compression_session_encode_planes(session.get(), 320, 180, NALU_PIXEL_FORMAT_BGRA, 1, planes,
                                                        strides, nullptr, nalu_time_make(i, 30), nalu_time_make(1, 30),
                                                        nullptr, nullptr, nullptr);
    }
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_complete_frames(session.get(), nalu_time_invalid());
    if (status != NALU_STATUS_OK) std::fprintf(stderr, "%s\n", nalu_last_error_message());
    std::printf("C++: nalu %s, %zu frames\n", nalu_version_string(), frames.size());
    return status == NALU_STATUS_OK && frames.size() == 10 ? 0 : 1;
}
