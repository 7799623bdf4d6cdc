/* Replaces the part of HandBrake around its VideoToolbox encoder: memory, lists, options and messages, as far as the
 * encoder uses them. Encodes the frames of a raw file. Writes a byte stream, and a line for each frame.
 *
 * usage: host CLIP.yuv WIDTH HEIGHT FRAMES OUTPUT.h264 PLANES KILOBITS QUALITY PASSES PROFILE LEVEL OPTIONS
 *
 * CLIP.yuv: pictures of 4:2:0 in 2 or 3 PLANES, at 25 frames per second. KILOBITS 0: use QUALITY. OPTIONS: for example
 * "keyint=25:bframes=0". Each line: start, decode time and duration in 90 kHz, type, bytes. Messages go to standard
 * error.
 */
#include <VideoToolbox/VideoToolbox.h>

#include "handbrake/handbrake.h"
#include "handbrake/hbffmpeg.h"
#include "handbrake/dovi_common.h"
#include "handbrake/extradata.h"
#include "handbrake/hdr10plus.h"
#include "handbrake/nal_units.h"
#include "vt_common.h"

#include <stdatomic.h>

extern hb_work_object_t hb_encvt;

enum { TICKS = 90000 / 25 };

/* Input buffers that the encoder has not released. */
static atomic_int outstanding;

/* Messages. */

static void say(const char *format, va_list arguments) {
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void hb_log(char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void hb_error(char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void hb_deep_log(hb_debug_level_t level, char *format, ...) {
}

/* Buffers. */

hb_buffer_t *hb_buffer_wrapper_init(void) {
    return calloc(1, sizeof(hb_buffer_t));
}

hb_buffer_t *hb_buffer_init(int size) {
    hb_buffer_t *buffer = hb_buffer_wrapper_init();
    buffer->data = malloc((size_t)size);
    buffer->size = buffer->alloc = size;
    return buffer;
}

void hb_buffer_close(hb_buffer_t **buffer) {
    if (*buffer == NULL) {
        return;
    }
    if ((*buffer)->storage_type == COREMEDIA) {
        CFRelease((*buffer)->storage);
    } else {
        if ((*buffer)->s.type == FRAME_BUF) {
            atomic_fetch_sub(&outstanding, 1);
        }
        /* An encoder that still reads the picture would encode these bytes. */
        memset((*buffer)->data, 0xEE, (size_t)(*buffer)->size);
        free((*buffer)->data);
    }
    free(*buffer);
    *buffer = NULL;
}

void hb_buffer_copy_props(hb_buffer_t *to, const hb_buffer_t *from) {
    to->s = from->s;
}

void hb_buffer_list_append(hb_buffer_list_t *list, hb_buffer_t *buffer) {
    if (list->tail != NULL) {
        list->tail->next = buffer;
    } else {
        list->head = buffer;
    }
    for (; buffer != NULL; buffer = buffer->next) {
        list->tail = buffer;
        list->count += 1;
    }
}

hb_buffer_t *hb_buffer_list_clear(hb_buffer_list_t *list) {
    hb_buffer_t *head = list->head;
    *list = (hb_buffer_list_t){0};
    return head;
}

int hb_set_extradata(hb_data_t **extradata, const uint8_t *bytes, size_t size) {
    hb_data_t *data = malloc(sizeof *data);
    *data = (hb_data_t){.bytes = malloc(size), .size = size};
    memcpy(data->bytes, bytes, size);
    if (*extradata != NULL) {
        free((*extradata)->bytes);
        free(*extradata);
    }
    *extradata = data;
    return 0;
}

/* Options. */

struct option {
    char name[40];
    long value;
    struct option *next;
};

hb_dict_t *hb_encopts_to_dict(const char *text, int encoder) {
    struct option *first = NULL;
    char *copy = strdup(text);
    char *rest = NULL;
    for (char *part = strtok_r(copy, ":", &rest); part != NULL; part = strtok_r(NULL, ":", &rest)) {
        struct option *option = calloc(1, sizeof *option);
        if (sscanf(part, "%39[^=]=%ld", option->name, &option->value) != 2) {
            fprintf(stderr, "host: %s is no option\n", part);
            exit(2);
        }
        option->next = first;
        first = option;
    }
    free(copy);
    return (hb_dict_t *)first;
}

hb_dict_iter_t hb_dict_iter_init(const hb_dict_t *options) {
    return (hb_dict_iter_t)options;
}

hb_dict_iter_t hb_dict_iter_next(const hb_dict_t *options, hb_dict_iter_t option) {
    return ((struct option *)option)->next;
}

const char *hb_dict_iter_key(hb_dict_iter_t option) {
    return ((struct option *)option)->name;
}

hb_value_t *hb_dict_iter_value(hb_dict_iter_t option) {
    return option;
}

json_int_t hb_value_get_int(const hb_value_t *option) {
    return ((const struct option *)option)->value;
}

int hb_value_get_bool(const hb_value_t *option) {
    return ((const struct option *)option)->value != 0;
}

void hb_dict_free(hb_dict_t **options) {
    for (struct option *option = (struct option *)*options; option != NULL;) {
        struct option *next = option->next;
        free(option);
        option = next;
    }
    *options = NULL;
}

/* The job. */

hb_interjob_t *hb_interjob_get(hb_handle_t *handle) {
    static hb_interjob_t between;
    return &between;
}

int hb_output_color_prim(hb_job_t *job) {
    return job->color_prim;
}

int hb_output_color_transfer(hb_job_t *job) {
    return job->color_transfer;
}

int hb_output_color_matrix(hb_job_t *job) {
    return job->color_matrix;
}

int64_t hb_rescale_rational(hb_rational_t number, int unit) {
    return number.den == 0 ? 0 : (int64_t)number.num * unit / number.den;
}

char *hb_get_temporary_filename(char *format, ...) {
    const char *directory = getenv("TMPDIR");
    char *name = malloc(4096);
    snprintf(name, 4096, "%s/host-%d-passes", directory != NULL ? directory : "/tmp", getpid());
    return name;
}

hb_chapter_queue_t *hb_chapter_queue_init(void) {
    return calloc(1, sizeof(hb_chapter_queue_t));
}

void hb_chapter_queue_close(hb_chapter_queue_t **queue) {
    free(*queue);
    *queue = NULL;
}

void hb_chapter_enqueue(hb_chapter_queue_t *queue, hb_buffer_t *buffer) {
}

void hb_chapter_dequeue(hb_chapter_queue_t *queue, hb_buffer_t *buffer) {
}

void av_freep(void *pointer) {
    free(*(void **)pointer);
    *(void **)pointer = NULL;
}

/* Colour functions, which libVideoToolbox only declares. HandBrake uses them to fill borders. */

CGColorRef CGColorCreateSRGB(CGFloat red, CGFloat green, CGFloat blue, CGFloat alpha) {
    return NULL;
}

CGColorRef CGColorCreateCopyByMatchingToColorSpace(CGColorSpaceRef space, CGColorRenderingIntent intent, CGColorRef color,
                                                   CFDictionaryRef options) {
    return NULL;
}

const CGFloat *CGColorGetComponents(CGColorRef color) {
    return NULL;
}

/* Functions that only H.265 or pictures on a graphics card use. */

#define UNREACHED(declaration)                                                                                                     \
    declaration {                                                                                                                  \
        fprintf(stderr, "host: %s is not for this program\n", __func__);                                                           \
        abort();                                                                                                                   \
    }

UNREACHED(void hb_add_filter(hb_job_t *job, hb_filter_object_t *filter, const char *settings))
UNREACHED(void hb_add_filter_dict(hb_job_t *job, hb_filter_object_t *filter, const hb_dict_t *settings))
UNREACHED(void hb_filter_close(hb_filter_object_t **filter))
UNREACHED(hb_filter_object_t *hb_filter_find(const hb_list_t *list, int filter))
UNREACHED(hb_filter_object_t *hb_filter_init(int filter))
UNREACHED(int hb_list_count(const hb_list_t *list))
UNREACHED(void *hb_list_item(const hb_list_t *list, int index))
UNREACHED(void hb_list_rem(hb_list_t *list, void *item))
UNREACHED(int hb_dovi_level(int width, int pps, int rate, int tier))
UNREACHED(int hb_dovi_max_rate(int codec, int width, int pps, int rate, int level, int tier))
UNREACHED(int hb_parse_h265_extradata(hb_data_t *extradata, int *level, int *tier))
UNREACHED(void hb_dynamic_hdr10_plus_to_itu_t_t35(const AVDynamicHDRPlus *metadata, uint8_t **bytes, uint32_t *size))
UNREACHED(hb_buffer_t *hb_isomp4_hevc_nal_bitstream_insert_payloads(const uint8_t *data, const size_t size, const hb_sei_t *seis,
                                                                    const size_t sei_count, const hb_nal_t *nals,
                                                                    const size_t nal_count, const uint8_t length_size))

/* The program. */

static const uint8_t start_code[4] = {0, 0, 0, 1};

static void write_unit(FILE *file, const uint8_t *unit, size_t size) {
    fwrite(start_code, 1, sizeof start_code, file);
    fwrite(unit, 1, size, file);
}

/* Writes the parameter sets of an `avcC`. */
static void write_sets(FILE *file, const hb_data_t *record) {
    size_t at = 5;
    for (int kind = 0; kind < 2; kind++) {
        for (int count = record->bytes[at++] & 31; count > 0; count--) {
            size_t size = (size_t)record->bytes[at] << 8 | record->bytes[at + 1];
            write_unit(file, record->bytes + at + 2, size);
            at += 2 + size;
        }
    }
}

static void write_frames(FILE *file, hb_buffer_t *buffer, const hb_data_t *record) {
    while (buffer != NULL) {
        hb_buffer_t *next = buffer->next;
        if ((buffer->s.flags & HB_BUF_FLAG_EOF) == 0) {
            if (buffer->s.frametype == HB_FRAME_IDR) {
                write_sets(file, record);
            }
            for (size_t at = 0; at + 4 <= (size_t)buffer->size;) {
                const uint8_t *length = buffer->data + at;
                size_t size = (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
                write_unit(file, length + 4, size);
                at += 4 + size;
            }
            printf("%lld %lld %.0f %c %d\n", (long long)buffer->s.start, (long long)buffer->s.renderOffset, buffer->s.duration,
                   buffer->s.frametype == HB_FRAME_IDR ? 'I' : buffer->s.frametype == HB_FRAME_B ? 'B' : 'P', buffer->size);
        }
        buffer->next = NULL;
        hb_buffer_close(&buffer);
        buffer = next;
    }
}

static hb_buffer_t *read_frame(FILE *file, int width, int height, int planes) {
    int luma = width * height;
    int chroma = luma / (planes == 3 ? 4 : 2);
    hb_buffer_t *buffer = hb_buffer_init(luma + (planes - 1) * chroma);
    if (fread(buffer->data, 1, (size_t)buffer->size, file) != (size_t)buffer->size) {
        fprintf(stderr, "host: the clip is too short\n");
        exit(2);
    }
    buffer->s.type = FRAME_BUF;
    atomic_fetch_add(&outstanding, 1);
    buffer->f.width = width;
    buffer->f.height = height;
    uint8_t *data = buffer->data;
    for (int plane = 0; plane < planes; plane++) {
        buffer->plane[plane].data = data;
        buffer->plane[plane].width = plane == 0 ? width : width / 2;
        buffer->plane[plane].height = plane == 0 ? height : height / 2;
        buffer->plane[plane].stride = plane == 0 || planes == 2 ? width : width / 2;
        buffer->plane[plane].size = plane == 0 ? luma : chroma;
        data += buffer->plane[plane].size;
    }
    return buffer;
}

static void encode(char **arguments, int pass) {
    int width = atoi(arguments[2]), height = atoi(arguments[3]), frames = atoi(arguments[4]), planes = atoi(arguments[6]);
    static volatile hb_error_code die;
    hb_job_t *job = calloc(1, sizeof *job);
    hb_data_t *record = NULL;
    job->die = (volatile int *)&die;
    job->vcodec = HB_VCODEC_VT_H264;
    job->width = width;
    job->height = height;
    job->vrate = (hb_rational_t){25, 1};
    job->par = (hb_rational_t){1, 1};
    job->vbitrate = atoi(arguments[7]);
    job->vquality = job->vbitrate > 0 ? HB_INVALID_VIDEO_QUALITY : atof(arguments[8]);
    job->encoder_profile = arguments[10];
    job->encoder_level = arguments[11];
    job->encoder_options = arguments[12];
    job->output_pix_fmt = planes == 3 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_NV12;
    job->hw_pix_fmt = AV_PIX_FMT_NONE;
    job->color_prim = HB_COLR_PRI_BT709;
    job->color_transfer = HB_COLR_TRA_BT709;
    job->color_matrix = HB_COLR_MAT_BT709;
    job->color_range = AVCOL_RANGE_MPEG;
    job->chroma_location = AVCHROMA_LOC_LEFT;
    job->pass_id = pass;

    hb_work_object_t work = hb_encvt;
    work.extradata = &record;
    if (work.init(&work, job) != 0 || die != 0) {
        fprintf(stderr, "host: the encoder does not begin\n");
        exit(1);
    }
    FILE *clip = fopen(arguments[1], "rb");
    FILE *output = fopen(pass == HB_PASS_ENCODE_ANALYSIS ? "/dev/null" : arguments[5], "wb");
    if (clip == NULL || output == NULL || record == NULL) {
        fprintf(stderr, "host: %s\n", record == NULL ? "the encoder gives no parameter sets" : "a file cannot be opened");
        exit(2);
    }
    if (pass == HB_PASS_ENCODE_ANALYSIS) {
        printf("analysis\n");
    }
    for (int number = 0; number <= frames; number++) {
        hb_buffer_t *input, *encoded = NULL;
        if (number < frames) {
            input = read_frame(clip, width, height, planes);
            input->s.start = (int64_t)number * TICKS;
            input->s.duration = TICKS;
            input->s.stop = input->s.start + TICKS;
            /* A chapter begins with a key frame. */
            job->chapter_markers = 1;
            input->s.new_chap = number == 60;
        } else {
            input = hb_buffer_init(0);
            input->s.flags = HB_BUF_FLAG_EOF;
        }
        work.work(&work, &input, &encoded);
        write_frames(output, encoded, record);
    }
    work.close(&work);
    printf("delay %d\n", job->init_delay);
    if (outstanding != 0) {
        fprintf(stderr, "host: %d pictures were not given back\n", outstanding);
        exit(1);
    }
    fclose(clip);
    fclose(output);
    free(record->bytes);
    free(record);
    free(job);
}

int main(int count, char **arguments) {
    if (count != 13) {
        fprintf(stderr, "usage: host CLIP.yuv WIDTH HEIGHT FRAMES OUTPUT.h264 PLANES KILOBITS QUALITY PASSES PROFILE LEVEL OPTIONS\n");
        return 2;
    }
    if (!hb_vt_is_encoder_available(HB_VCODEC_VT_H264)) {
        fprintf(stderr, "host: HandBrake finds no encoder\n");
        return 1;
    }
    if (atoi(arguments[9]) == 2) {
        encode(arguments, HB_PASS_ENCODE_ANALYSIS);
        encode(arguments, HB_PASS_ENCODE_FINAL);
    } else {
        encode(arguments, HB_PASS_ENCODE);
    }
    return 0;
}
