/* A frame that the encoder fails on. This program's functions take the place of libnalu's. */
#include "element.h"

#include <dlfcn.h>
#include <nalu/nalu.h>
#include <string.h>

/* The message that the session has, longer than any buffer of a fixed size. */
static char failure[5000];

/* The first frame fails. */
nalu_status nalu_output_queue_next(nalu_output_queue *queue, double timeout, nalu_output *output) {
    static nalu_status (*next)(nalu_output_queue *, double, nalu_output *);
    if (next == NULL) next = (nalu_status(*)(nalu_output_queue *, double, nalu_output *))dlsym(RTLD_NEXT, "nalu_output_queue_next");
    const nalu_status status = next(queue, timeout, output);
    if (status == NALU_STATUS_OK && output->sample) {
        nalu_sample_release(output->sample);
        output->sample = NULL;
        output->status = NALU_STATUS_ENCODER_MALFUNCTION;
    }
    return status;
}

nalu_status nalu_compression_session_copy_last_error(nalu_compression_session *session, char *buffer, size_t capacity, size_t *size) {
    (void)session;
    *size = strlen(failure) + 1;
    if (capacity < *size) return NALU_STATUS_BUFFER_TOO_SMALL;
    memcpy(buffer, failure, *size);
    return NALU_STATUS_OK;
}

static void check_failure(const char *expected) {
    Element element = element_new(QUICK, SMALL, AVC);
    GstMessage *message;
    GError *error = NULL;
    (void)element_push(&element);
    message = gst_bus_timed_pop_filtered(element.bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
    REQUIRE(message != NULL);
    gst_message_parse_error(message, &error, NULL);
    CHECK(g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE));
    CHECK_STR_EQ(error->message, expected);
    g_error_free(error);
    gst_message_unref(message);
    element_free(&element);
}

static void test_the_entire_message_is_posted(void) {
    for (size_t i = 0; i + 3 < sizeof failure; i += 2) memcpy(failure + i, "\xc3\xa4", 3);
    check_failure(failure);
}

static void test_a_failure_without_a_message(void) {
    failure[0] = 0;
    check_failure("A frame could not be encoded.");
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_the_entire_message_is_posted);
    RUN(test_a_failure_without_a_message);
    return check_result();
}
