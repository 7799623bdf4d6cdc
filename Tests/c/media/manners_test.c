/* Linking or loading libnalumedia does not change the process's signals. */
#include <nalu/media.h>

#include "loading.h"

static void a_linked_program_begins_with_signals_as_it_was_given_them(void) {
    nalu_decompression_session_release(NULL); /* the linker would drop a library of which nothing is called */
    check_linked_program();
}

static void loading_the_library_changes_no_signal(void) {
    REQUIRE(setenv("LD_LIBRARY_PATH", LIBRARY_FOLDER, 1) == 0); /* lets libnalumedia find libnalu */
    check_loading_program(NALUMEDIA_LIBRARY);
}

int main(int count, char **arguments) {
    if (is_started_to_look(count, arguments)) return look_at_signals();
    RUN(a_linked_program_begins_with_signals_as_it_was_given_them);
    RUN(loading_the_library_changes_no_signal);
    return check_result();
}
