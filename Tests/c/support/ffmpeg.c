#include "ffmpeg.h"

void stream_open(stream_file *it) {
    const char *directory = getenv("TMPDIR");
    snprintf(it->path, sizeof it->path, "%s/nalu-test-XXXXXX", directory ? directory : "/tmp");
    int descriptor = mkstemp(it->path);
    REQUIRE(descriptor >= 0);
    it->file = fdopen(descriptor, "wb");
    REQUIRE(it->file);
}

FILE *stream_judge(stream_file *it, const char *before, const char *after) {
    char command[1024];
    REQUIRE(fflush(it->file) == 0);
    snprintf(command, sizeof command,
        "exec ffmpeg -nostdin -hide_banner -nostats -threads 1 %s -f h264 -i '%s' -fps_mode passthrough %s",
        before, it->path, after);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    return pipe;
}

void stream_close(stream_file *it) {
    fclose(it->file);
    unlink(it->path);
}

pictures stream_collect(FILE *pipe, int32_t width, int32_t height) {
    pictures all = {width, height, 0, (size_t)width * (size_t)height * 3 / 2, NULL};
    int32_t room = 0;
    while (true) {
        if (all.count == room) {
            room = room ? room * 2 : 64;
            all.bytes = (uint8_t *)realloc(all.bytes, (size_t)room * all.size);
            REQUIRE(all.bytes);
        }
        size_t got = fread(all.bytes + (size_t)all.count * all.size, 1, all.size, pipe);
        if (got == 0) break;
        REQUIRE(got == all.size);
        all.count++;
    }
    pclose(pipe);
    return all;
}

pictures stream_decode(stream_file *it, int32_t width, int32_t height) {
    return stream_collect(stream_judge(it, "-v quiet -flags output_corrupt -flags2 showall",
        "-f rawvideo -pix_fmt yuv420p -"), width, height);
}

pictures stream_decode_at(stream_file *it, int32_t width, int32_t height, int64_t places[], int32_t room) {
    char path[300], arguments[420];
    static char line[65536];
    int32_t count = 0;
    snprintf(path, sizeof path, "%s.log", it->path);
    snprintf(arguments, sizeof arguments, "-vf showinfo=checksum=0 -f rawvideo -pix_fmt yuv420p - 2>'%s'", path);
    pictures all = stream_collect(
        stream_judge(it, "-v info -flags output_corrupt -flags2 showall", arguments), width, height);
    FILE *log = fopen(path, "r");
    REQUIRE(log);
    while (fgets(line, sizeof line, log)) {
        const char *place = strstr(line, " pos:");
        if (!strstr(line, "showinfo") || !strstr(line, " n:") || !place) continue;
        REQUIRE(count < room);
        places[count++] = strtoll(place + 5, NULL, 10);
    }
    fclose(log);
    unlink(path);
    REQUIRE(CHECK_EQ(count, all.count));
    return all;
}

const uint8_t *picture(const pictures *all, int32_t index) {
    REQUIRE(index >= 0 && index < all->count);
    return all->bytes + (size_t)index * all->size;
}

bool same_picture(const pictures *a, int32_t index_a, const pictures *b, int32_t index_b) {
    return memcmp(picture(a, index_a), picture(b, index_b), a->size) == 0;
}

int32_t stream_qp_ranges(stream_file *it, int least[], int most[], int32_t room) {
    static char line[65536];
    char decoder[32] = "";
    int32_t count = 0;
    FILE *pipe = stream_judge(it, "-v debug -debug qp", "-f null - 2>&1");
    bool inside = false;
    while (fgets(line, sizeof line, pipe)) {
        /* A line "[h264 @ 0x...] 3232302929" contains two digits per macroblock. */
        char *text = strstr(line, "] ");
        if (strncmp(line, "[h264 @", 7) != 0 || !text) continue;
        text += 2;
        if (strncmp(line, decoder, strlen(decoder)) != 0 || !*decoder) {
            /* The first decoder only probed the stream. */
            snprintf(decoder, sizeof decoder, "%.*s", (int)(text - line), line);
            count = 0, inside = false;
        }
        if (strncmp(text, "New frame", 9) == 0) {
            REQUIRE(count < room);
            least[count] = 99, most[count] = -1;
            count++;
            inside = true;
            continue;
        }
        size_t length = strcspn(text, "\n");
        if (!inside || length % 2 || strspn(text, " 0123456789") < length) continue;
        for (size_t i = 0; i < length; i += 2) {
            int qp = (text[i] == ' ' ? 0 : text[i] - '0') * 10 + text[i + 1] - '0';
            if (qp < least[count - 1]) least[count - 1] = qp;
            if (qp > most[count - 1]) most[count - 1] = qp;
        }
    }
    pclose(pipe);
    return count;
}
