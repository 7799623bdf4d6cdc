#include "judged_streams.h"

#include "annex_b.h"

enum { JUDGED_MOST = 160 };

typedef struct judged_stream {
    char name[120];
    const char *format; /* FFmpeg's name */
    int pictures, decoded;
} judged_stream;

static judged_stream judged[JUDGED_MOST];
static int judged_count;

void judge(nalu_sample *const *samples, int32_t count, const char *name) {
    char file[32];
    REQUIRE(count > 0 && judged_count < JUDGED_MOST);
    judged_stream *it = &judged[judged_count];
    const nalu_four_char_code codec = nalu_format_description_get_codec(nalu_sample_get_format_description(samples[0]));
    snprintf(it->name, sizeof it->name, "%s", name);
    it->format = codec == NALU_CODEC_HEVC ? "hevc" : "h264";
    it->pictures = count;
    snprintf(file, sizeof file, "judged-%d", judged_count++);
    FILE *out = fopen(test_path(file), "wb");
    REQUIRE(out);
    for (int32_t i = 0; i < count; i++) annex_b_write(out, samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    REQUIRE(fclose(out) == 0);
}

void judge_streams(void) {
    static char command[JUDGED_MOST * 80 + 512];
    char line[1024];
    size_t used = 0;
    if (judged_count == 0) return;
    const char *directory = test_path("");
    used += (size_t)snprintf(command + used, sizeof command - used, "cd '%s' && exec ffmpeg -nostdin -v error", directory);
    for (int i = 0; i < judged_count; i++)
        used += (size_t)snprintf(command + used, sizeof command - used, " -threads 1 -err_detect explode -f %s -i judged-%d",
                                 judged[i].format, i);
    for (int i = 0; i < judged_count; i++)
        used += (size_t)snprintf(command + used, sizeof command - used, " -map %d:v", i);
    used += (size_t)snprintf(command + used, sizeof command - used, " -fps_mode passthrough -f framemd5 - 2>&1");
    REQUIRE(used < sizeof command);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    while (fgets(line, sizeof line, pipe)) {
        int index = 0;
        if (line[0] == '#') continue;
        if (sscanf(line, "%d,", &index) == 1 && index >= 0 && index < judged_count) judged[index].decoded++;
        else check_that(0, __FILE__, __LINE__, "FFmpeg decodes the streams without a message", line);
    }
    CHECK_EQ(pclose(pipe), 0);
    for (int i = 0; i < judged_count; i++)
        if (!CHECK_EQ(judged[i].decoded, judged[i].pictures)) fprintf(stderr, "the stream of %s\n", judged[i].name);
    printf("  FFmpeg decoded %d streams\n", judged_count);
    judged_count = 0;
}
