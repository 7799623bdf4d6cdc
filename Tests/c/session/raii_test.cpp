// The library from C++17: handles owned by unique_ptr, a lambda as the callback, and exceptions that stay
// inside it.
#include "check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// Definitions that a C++ program needs once. The deleters are the release functions themselves and have no
// overhead.
template <auto release> struct Releaser {
    template <typename Object> void operator()(Object *object) const { release(object); }
};
using Session = std::unique_ptr<nalu_compression_session, Releaser<nalu_compression_session_release>>;
using Sample = std::unique_ptr<nalu_sample, Releaser<nalu_sample_release>>;
using Buffer = std::unique_ptr<nalu_pixel_buffer, Releaser<nalu_pixel_buffer_release>>;
using Format = std::unique_ptr<nalu_format_description, Releaser<nalu_format_description_release>>;
static_assert(sizeof(Session) == sizeof(void *));

struct Error : std::runtime_error {
    explicit Error(nalu_status status) : std::runtime_error(nalu_last_error_message()), status(status) {}
    nalu_status status;
};

void check(nalu_status status) {
    if (status != NALU_STATUS_OK) throw Error(status);
}

constexpr int width = 64, height = 48;

using Handler = std::function<void(nalu_status, Sample)>;

// The session owns the handler. The library destroys it after the last callback.
Session makeSession(Handler handler) {
    auto owned = std::make_unique<Handler>(std::move(handler));
    nalu_compression_session *session = nullptr;
    check(nalu_compression_session_create(
        width, height, NALU_CODEC_H264, nullptr, nullptr,
        [](void *refcon, void *, nalu_status status, nalu_encode_info_flags, nalu_sample *sample) {
            (*static_cast<Handler *>(refcon))(status, Sample(nalu_sample_retain(sample)));
        },
        owned.get(), [](void *refcon) { delete static_cast<Handler *>(refcon); }, &session));
    owned.release();
    return Session(session);
}

void encode(const Session &session, int number, void *frameRefcon = nullptr) {
    std::vector<uint8_t> pixels(width * height * 4, static_cast<uint8_t>(number * 3));
    const void *planes[] = {pixels.data()};
    const int64_t strides[] = {width * 4};
    const uint64_t sizes[] = {pixels.size()};
    check(nalu_compression_session_encode_planes(session.get(), width, height, NALU_PIXEL_FORMAT_BGRA, 1, planes,
                                                 strides, sizes, nalu_time_make(number, 30), nalu_time_make(1, 30),
                                                 nullptr, frameRefcon, nullptr));
}

void complete(const Session &session) {
    check(nalu_compression_session_complete_frames(session.get(), nalu_time_invalid()));
}

void samples_are_moved_into_a_vector_and_outlive_the_session() {
    std::vector<Sample> samples;
    {
        auto session = makeSession([&](nalu_status status, Sample sample) {
            CHECK_OK(status);
            samples.push_back(std::move(sample));
        });
        for (int i = 0; i < 30; i++) encode(session, i);
        complete(session);
    }
    CHECK_EQ(samples.size(), 30);
    for (const auto &sample : samples) {
        size_t size = 0;
        CHECK(nalu_sample_get_data(sample.get(), &size) != nullptr);
        CHECK(size > 4);
    }
    Format format(nalu_format_description_retain(nalu_sample_get_format_description(samples[0].get())));
    samples.clear();
    CHECK_EQ(nalu_format_description_get_width(format.get()), width);
}

void what_a_lambda_captured_lives_until_the_session_ends_and_no_longer() {
    auto captured = std::make_shared<std::atomic<int>>(0);
    std::weak_ptr<std::atomic<int>> watch = captured;
    {
        auto session = makeSession([captured = std::move(captured)](nalu_status, Sample) { ++*captured; });
        for (int i = 0; i < 10; i++) encode(session, i);
        CHECK(!watch.expired());
    }
    CHECK(watch.expired());
}

void a_lambda_stays_its_makers_own_when_create_fails() {
    auto captured = std::make_shared<int>(1);
    Handler handler = [captured](nalu_status, Sample) {};
    nalu_compression_session *session = nullptr;
    nalu_status status = nalu_compression_session_create(
        1, 1, NALU_CODEC_H264, nullptr, nullptr,
        [](void *, void *, nalu_status, nalu_encode_info_flags, nalu_sample *) {}, &handler,
        [](void *) { std::terminate(); }, &session);
    CHECK_STATUS(status, NALU_STATUS_INVALID_SIZE);
    CHECK(session == nullptr);
    CHECK_EQ(captured.use_count(), 2);
}

// Exceptions must not leave the callback. They are stored and rethrown in the caller of complete.
void an_exception_in_the_handler_is_carried_to_the_caller() {
    std::exception_ptr thrown;
    int calls = 0;
    auto session = makeSession([&](nalu_status, Sample) {
        try {
            if (++calls == 3) throw std::runtime_error("the disk is full");
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    for (int i = 0; i < 10; i++) encode(session, i);
    complete(session);
    CHECK_EQ(calls, 10);
    std::string message;
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const std::runtime_error &error) {
        message = error.what();
    }
    CHECK_STR_EQ(message.c_str(), "the disk is full");
}

void a_failure_becomes_an_exception_with_a_sentence() {
    auto session = makeSession([](nalu_status, Sample) {});
    nalu_status status = NALU_STATUS_OK;
    try {
        encode(session, 1);
        encode(session, 1);
    } catch (const Error &error) {
        status = error.status;
        CHECK(std::string(error.what()).find("presentation_time") != std::string::npos);
    }
    CHECK_STATUS(status, NALU_STATUS_INVALID_TIME);
}

// A frame that owns its pixels: a vector moved into a wrapping buffer. The library frees it after the last use.
void a_vector_is_lent_without_a_copy_and_freed_by_the_library() {
    using Pixels = std::shared_ptr<std::vector<uint8_t>>;
    std::vector<std::weak_ptr<std::vector<uint8_t>>> watches;
    std::atomic<int> encoded = 0;
    auto session = makeSession([&](nalu_status status, Sample) { encoded += status == NALU_STATUS_OK; });
    for (int i = 0; i < 20; i++) {
        auto pixels = std::make_shared<std::vector<uint8_t>>(width * height * 3 / 2, static_cast<uint8_t>(i));
        watches.push_back(pixels);
        const void *planes[] = {pixels->data(), pixels->data() + width * height};
        const int64_t strides[] = {width, width};
        auto owner = std::make_unique<Pixels>(std::move(pixels));
        nalu_pixel_buffer *made = nullptr;
        check(nalu_pixel_buffer_create_with_planes(
            width, height, NALU_PIXEL_FORMAT_420V, 2, planes, strides, nullptr,
            [](void *refcon) { delete static_cast<Pixels *>(refcon); }, owner.get(), &made));
        owner.release();
        Buffer buffer(made);
        check(nalu_compression_session_encode_frame(session.get(), buffer.get(), nalu_time_make(i, 30),
                                                    nalu_time_invalid(), nullptr, nullptr, nullptr));
    }
    complete(session);
    CHECK_EQ(encoded.load(), 20);
    CHECK(std::all_of(watches.begin(), watches.end(), [](const auto &watch) { return watch.expired(); }));
}

// The frame_refcon carries an object that belongs to the frame.
void a_frame_refcon_may_own_what_belongs_to_the_frame() {
    std::vector<int> seen;
    struct Context {
        int number;
    };
    nalu_compression_session *made = nullptr;
    check(nalu_compression_session_create(
        width, height, NALU_CODEC_H264, nullptr, nullptr,
        [](void *refcon, void *frame, nalu_status, nalu_encode_info_flags, nalu_sample *) {
            std::unique_ptr<Context> context(static_cast<Context *>(frame));
            static_cast<std::vector<int> *>(refcon)->push_back(context->number);
        },
        &seen, nullptr, &made));
    Session session(made);
    for (int i = 0; i < 20; i++) {
        auto context = std::make_unique<Context>(Context{i});
        encode(session, i, context.get());
        context.release();
    }
    // Pending frames are delivered as dropped, so nothing leaks.
    session.reset();
    std::sort(seen.begin(), seen.end());
    CHECK_EQ(seen.size(), 20);
    for (int i = 0; i < static_cast<int>(seen.size()); i++) CHECK_EQ(seen[static_cast<size_t>(i)], i);
}

void sessions_run_beside_each_other_in_threads() {
    std::mutex mutex;
    std::vector<std::thread> threads;
    int total = 0;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&] {
            int mine = 0;
            auto session = makeSession([&](nalu_status, Sample sample) { mine += sample != nullptr; });
            for (int i = 0; i < 20; i++) encode(session, i);
            complete(session);
            session.reset();
            std::lock_guard lock(mutex);
            total += mine;
        });
    for (auto &thread : threads) thread.join();
    CHECK_EQ(total, 80);
}

}  // namespace

int main() {
    RUN(samples_are_moved_into_a_vector_and_outlive_the_session);
    RUN(what_a_lambda_captured_lives_until_the_session_ends_and_no_longer);
    RUN(a_lambda_stays_its_makers_own_when_create_fails);
    RUN(an_exception_in_the_handler_is_carried_to_the_caller);
    RUN(a_failure_becomes_an_exception_with_a_sentence);
    RUN(a_vector_is_lent_without_a_copy_and_freed_by_the_library);
    RUN(a_frame_refcon_may_own_what_belongs_to_the_frame);
    RUN(sessions_run_beside_each_other_in_threads);
    return check_result();
}
