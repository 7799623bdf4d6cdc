/* Lost pictures of H.265 streams: every loss that matters is reported, and nothing else. */
#include "hevc_stream.h"
#include "loss_checks.h"

static uint32_t flags_of(const nalu_sample *sample) { return nalu_sample_get_attachments(sample); }

static bool is_reference(const nalu_sample *sample) {
    return (flags_of(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0;
}

/* Returns true for IDR, BLA and CRA pictures. */
static bool is_start(const nalu_sample *sample) { return hevc_slice_type(sample) >= 16; }

static bool is_leading(const nalu_sample *sample) { return hevc_slice_type(sample) >= 6 && hevc_slice_type(sample) <= 9; }

static int layer_of(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const uint8_t *unit = nalu_sample_get_nal(sample, i, NULL);
        if ((unit[0] >> 1 & 63) < 32) return (unit[1] & 7) - 1;
    }
    return -1;
}


#define ONE "pools=1:frame-threads=1:ref=3:scenecut=0:min-keyint=1:"

static const char *const kinds[] = {
    "pools=1:frame-threads=1:scenecut=0:min-keyint=1:bframes=0:ref=1:keyint=16:open-gop=0",
    ONE "bframes=0:ref=4:keyint=7:open-gop=0",
    ONE "bframes=3:b-adapt=0:b-pyramid=0:keyint=20:open-gop=0",
    ONE "bframes=7:b-adapt=0:b-pyramid=1:keyint=24:open-gop=0",
    ONE "bframes=3:b-adapt=0:b-pyramid=1:keyint=12:open-gop=1",
    ONE "bframes=4:b-adapt=2:b-pyramid=1:keyint=30:open-gop=0:radl=2",
    ONE "bframes=7:b-adapt=0:b-pyramid=1:temporal-layers=1:keyint=30:open-gop=1",
    ONE "bframes=0:ref=2:keyint=1",
    ONE "bframes=2:keyint=50:intra-refresh=1",
    ONE "bframes=0:keyint=3:open-gop=0",
};
enum { KINDS = sizeof kinds / sizeof *kinds, LAYERS = 6, SHORTEST = 9, FRAMES = 80 };

static parsed streams[KINDS];

/* ---- Nothing lost --------------------------------------------------------------------------------------------------- */

/* Starts at every sample. Only the leading pictures of a CRA picture at the start cannot be decoded. */
static void no_h265_loss_is_reported_without_loss(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        const parsed p = streams[kind];
        for (int first = 0; first < p.count; first++) {
            nalu_loss_detector *detector = make_detector();
            bool skips = hevc_slice_type(p.samples[first]) == NALU_HEVC_NAL_CRA;
            for (int i = first; i < p.count; i++) {
                if (i > first && is_start(p.samples[i])) skips = false;
                const int type = hevc_slice_type(p.samples[i]);
                const bool is_skipped = skips && (type == NALU_HEVC_NAL_RASL_N || type == NALU_HEVC_NAL_RASL_R);
                if (!CHECK_EQ(check(detector, p.samples[i]), is_skipped ? NALU_LOSS_LEADING : NALU_LOSS_NONE))
                    fprintf(stderr, "%s: from %d on, at %d\n", kinds[kind], first, i);
            }
            nalu_loss_detector_release(detector);
        }
    }
}

/* The pictures of the highest sub-layer are left out, either all of them or from one picture on. */
static void sub_layers_may_be_left_out(void) {
    const parsed p = streams[LAYERS];
    for (int first = 0; first < p.count; first++) {
        nalu_loss_detector *detector = make_detector();
        int left_out = 0;
        for (int i = 0; i < p.count; i++) {
            if (i >= first && layer_of(p.samples[i]) > 0) {
                left_out++;
                continue;
            }
            CHECK_EQ(check(detector, p.samples[i]), NALU_LOSS_NONE);
        }
        CHECK(first > FRAMES / 2 || left_out > FRAMES / 8);
        nalu_loss_detector_release(detector);
    }
}

static void pictures_to_which_none_refers_may_be_missing(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        const parsed p = streams[kind];
        nalu_loss_detector *detector = make_detector();
        for (int i = 0; i < p.count; i++)
            if (is_reference(p.samples[i]) && layer_of(p.samples[i]) == 0)
                CHECK_EQ(check(detector, p.samples[i]), NALU_LOSS_NONE);
        nalu_loss_detector_release(detector);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------- */

static nalu_sample *sample_like(nalu_sample *sample, const uint8_t *bytes, size_t size) {
    nalu_sample *made = NULL;
    REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(sample),
                                  nalu_sample_get_presentation_time(sample), nalu_time_invalid(), nalu_time_invalid(), 0,
                                  &made));
    return made;
}

/* Rejected samples: without a slice, with a truncated slice, with an unknown parameter set, and without the
 * picture's first slice. */
static void unreadable_h265_samples_are_refused(void) {
    static const struct {
        uint8_t size, bytes[8];
        const char *word;
    } cases[] = {
        {7, {0, 0, 0, 3, 70, 1, 16}, "slice"},
        {6, {0, 0, 0, 2, 2, 1}, "slice"},
        {8, {0, 0, 0, 4, 2, 1, 0x84, 0x80}, "parameter set"},
        {8, {0, 0, 0, 4, 2, 1, 0x50, 0x80}, "first slice segment"},
    };
    nalu_loss_detector *detector = make_detector();
    CHECK_EQ(check(detector, streams[0].samples[0]), NALU_LOSS_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nalu_sample *sample = sample_like(streams[0].samples[1], cases[i].bytes, cases[i].size);
        int32_t missing = 9;
        REFUSED(nalu_loss_detector_check(detector, sample, &missing), NALU_STATUS_BAD_DATA, cases[i].word);
        CHECK_EQ(missing, NALU_LOSS_NONE);
        nalu_sample_release(sample);
    }
    CHECK_EQ(check(detector, streams[0].samples[1]), NALU_LOSS_NONE);
    nalu_loss_detector_release(detector);
}

/* ---- Losses --------------------------------------------------------------------------------------------------------- */

/* With x265 each picture can refer to all stored pictures, so a loss is reported with the next sample. An
 * exception is the loss of pictures to which only leading pictures can refer. */
static void check_loss(const parsed *p, int first, int count, int kind) {
    nalu_loss_detector *detector = make_detector();
    /* A missing group is only detected if the stream was regular before it. */
    const bool is_whole_group = kind == SHORTEST && count == 3;
    bool is_lost = false, is_open = false, broke_leading = false;
    int told = 0;
    for (int i = 0; i < p->count; i++) {
        nalu_sample *sample = p->samples[i];
        if (i >= first && i < first + count) {
            if (is_leading(sample))
                broke_leading |= is_reference(sample);
            else
                is_lost |= is_reference(sample);
            is_open = is_lost && !(is_whole_group && first < 16);
            continue;
        }
        int32_t missing = check(detector, sample);
        if (is_start(sample)) {
            CHECK_EQ(missing, NALU_LOSS_NONE);
            is_open = false;
            continue;
        }
        if (missing == NALU_LOSS_REFERENCE) {
            told++;
            CHECK(!is_leading(sample));
            if (!CHECK(is_lost)) fprintf(stderr, "%s: %d lost from %d on, told at %d\n", kinds[kind], count, first, i);
        } else if (missing == NALU_LOSS_LEADING) {
            CHECK(is_leading(sample));
            if (!CHECK(is_lost || broke_leading))
                fprintf(stderr, "%s: %d lost from %d on, told at %d\n", kinds[kind], count, first, i);
        } else if (is_open && i >= first && !CHECK(told > 0 || is_leading(sample))) {
            fprintf(stderr, "%s: %d lost from %d on, not told at %d\n", kinds[kind], count, first, i);
        }
    }
    CHECK(told <= 1);
    nalu_loss_detector_release(detector);
}

static void every_h265_loss_is_reported_once(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        const parsed p = streams[kind];
        for (int count = 1; count <= 8; count += count < 4 ? 1 : 4)
            for (int first = 1; first + count < p.count; first++) check_loss(&p, first, count, kind);
    }
}

int main(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        hevc_clip clip = hevc_clip_of("64x64", FRAMES, "yuv420p", kinds[kind]);
        parse(&clip.bytes, WHOLE, NULL, &streams[kind]);
        REQUIRE(CHECK_EQ(streams[kind].count, FRAMES));
        free(clip.bytes.bytes);
    }
    RUN(no_h265_loss_is_reported_without_loss);
    RUN(sub_layers_may_be_left_out);
    RUN(pictures_to_which_none_refers_may_be_missing);
    RUN(unreadable_h265_samples_are_refused);
    RUN(every_h265_loss_is_reported_once);
    for (int kind = 0; kind < KINDS; kind++) parsed_release(&streams[kind]);
    return check_result();
}
