/* Loading FFmpeg does not change the process's signals, and audio is encoded on threads that trap floating-point
 * exceptions. */
#include <nalu/media.h>

#include "check.h"
#include "dispositions.h"

#include <fenv.h>

static void loading_ffmpeg_changes_no_signal(void) {
    const dispositions before = dispositions_now();
    CHECK_OK(nalu_media_load());
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

/* FFmpeg computes tables with infinities when it opens the encoder. */
static void audio_is_encoded_where_the_client_traps_floating_point_exceptions(void) {
    nalu_audio_encoder *encoder = NULL;
    static int16_t frames[4800];
    int count = 0;
    CHECK(feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) >= 0);
    REQUIRE_OK(nalu_audio_encoder_create(48000, 1, NULL, &encoder));
    CHECK_OK(nalu_audio_encoder_encode(encoder, frames, 4800, NALU_AUDIO_INT16, nalu_time_make(0, 1)));
    CHECK_OK(nalu_audio_encoder_finish(encoder));
    for (nalu_sample *sample; nalu_audio_encoder_next_sample(encoder, &sample) == NALU_STATUS_OK && sample; count++)
        nalu_sample_release(sample);
    CHECK_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    fesetenv(FE_DFL_ENV);
    CHECK_EQ(count, 6);
    nalu_audio_encoder_release(encoder);
}

int main(void) {
    RUN(loading_ffmpeg_changes_no_signal);
    RUN(audio_is_encoded_where_the_client_traps_floating_point_exceptions);
    return check_result();
}
