/* libVideoToolbox and the libraries that it needs do not change the process's signals, whether linked, loaded or in
 * use. */
#include "session_support.h"

#include "loading.h"

static void test_a_linked_program_begins_with_signals_as_it_was_given_them(void) { check_linked_program(); }

static void test_loading_the_library_changes_no_signal(void) {
    /* The directory in which libVideoToolbox finds libnalu. */
    REQUIRE(setenv("LD_LIBRARY_PATH", LIBRARY_DIRECTORY, 1) == 0);
    check_loading_program(VIDEOTOOLBOX_LIBRARY);
}

static void test_a_session_changes_no_signal(void) {
    const dispositions before = dispositions_now();
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    encode_frames(session, 5);
    REQUIRE(all.count == 5);
    CFRelease(session);
    /* Loads FFmpeg, if it is present. */
    VTDecompressionSessionRef decoder = NULL;
    const OSStatus status = VTDecompressionSessionCreate(
        NULL, CMSampleBufferGetFormatDescription(all.samples[0]), NULL, NULL, NULL, &decoder);
    CHECK(status == noErr || status == kVTCouldNotFindVideoDecoderErr);
    if (decoder) CFRelease(decoder);
    collected_clear(&all);
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

int main(int count, char **arguments) {
    if (is_started_to_look(count, arguments)) return look_at_signals();
    RUN(test_a_linked_program_begins_with_signals_as_it_was_given_them);
    RUN(test_loading_the_library_changes_no_signal);
    RUN(test_a_session_changes_no_signal);
    return check_result();
}
