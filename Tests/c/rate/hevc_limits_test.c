/*
 * DataRateLimits of H.265 in random streams: no window of decode time exceeds a limit, also when the limits and the rate
 * change while encoding, and the delivered samples decode without errors. NALU_TEST_STREAMS is the number of streams.
 */
#define LIMITED_SHRINK 2
#include "limited_clips.h"

/* The smallest limit in bytes that is accepted. */
enum { LEAST_LIMIT = 1000 };

static int at_least(int least, double value) { return value < least ? least : (int)value; }

static int between(int least, int most) { return least + (int)(next_random() % (uint32_t)(most - least + 1)); }

/* Writes random properties of the delay: none, a bound, a lookahead, or those of the preset; with and without B-frames,
 * and with and without threads. Real time excludes MaximizePowerEfficiency. */
static void write_delay(char *text, size_t size) {
    char way[80] = "";
    const int kind = between(0, 3), count = between(1, 20), reorders = between(0, 2), has_threads = between(0, 1);
    if (kind == 0) snprintf(way, sizeof way, "RealTime=true,ExpectedFrameRate=30,");
    if (kind == 1) snprintf(way, sizeof way, "MaxFrameDelayCount=%d,", count);
    if (kind == 2) snprintf(way, sizeof way, "SuggestedLookAheadFrameCount=%d,", count);
    snprintf(text, size, "%s%s%s", way, kind == 0 || reorders == 2 ? "" : reorders ? "NaluAllowBPyramid=false,"
        : "AllowFrameReordering=false,", kind == 0 || has_threads ? "" : "MaximizePowerEfficiency=true,");
}

static void no_window_exceeds_a_limit_in_random_streams(void) {
    const char *asked = getenv("NALU_TEST_STREAMS");
    const int streams = asked && atoi(asked) > 0 ? atoi(asked) : 12;
    int all = 0, dropped = 0, over = 0;
    double most = 0;
    static result it;
    begin_decoding();
    for (int stream = 0; stream < streams; stream++) {
        char text[300], delay[160];
        random_state = (uint32_t)stream * 747796405u + 1;
        const double seconds = between(0, 1) ? 1 : 0.25 * between(1, 8);
        const int limit = at_least(LEAST_LIMIT, seconds * between(3000, 40000));
        const int changes = between(0, 1), has_quality = between(0, 3) == 0;
        write_delay(delay, sizeof delay);
        snprintf(text, sizeof text, "x265.preset=ultrafast,%s%s=%g,DataRateLimits=[%d,%g],MaxKeyFrameInterval=%d", delay,
            has_quality ? "Quality" : "AverageBitRate", has_quality ? 0.25 * between(1, 4) : between(20000, 500000), limit,
            seconds, between(0, 1) ? 0 : between(5, 60));
        const int clip = between(0, CLIPS - 1), other = between(0, CLIPS - 1);
        const double tight[2] = {at_least(LEAST_LIMIT, limit / 2.0), seconds};
        nalu_compression_session *session = open_with(&it, text);
        for (int frame = 0; frame < FRAMES; frame++) {
            if (changes && frame == 75) CHECK_OK(nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, tight, 2));
            encode(session, &clips[frame / 50 % 2 ? other : clip], frame, nalu_time_make(frame, RATE));
        }
        finish(session, &it);
        double fullest = 0;
        int found = 0;
        if (changes) found += windows_over(&it, 75.0 / RATE, tight[0], seconds, &fullest);
        /* After a change the windows restart. Frames after the change are decoded before B-frames from before it. */
        while (changes && it.samples > 0 && it.times[it.samples - 1] > 60.0 / RATE) it.samples--;
        found += windows_over(&it, -1, limit, seconds, &fullest);
        if (found) fprintf(stderr, "stream %d, %s: %d windows over the limit\n", stream, text, found);
        if (it.dropped > 15) printf("  stream %d dropped %d: %s\n", stream, it.dropped, text);
        over += found, all += FRAMES, dropped += it.dropped;
        CHECK(it.samples > 0);
        if (fullest > most) most = fullest;
    }
    end_decoding();
    printf("  %d streams: fullest window %.3f of its limit, %d of %d frames dropped\n", streams, most, dropped, all);
    CHECK_EQ(over, 0);
    CHECK(dropped < all / 5);
}

int main(void) {
    limited_codec = NALU_CODEC_HEVC;
    RUN(no_window_exceeds_a_limit_in_random_streams);
    return check_result();
}
