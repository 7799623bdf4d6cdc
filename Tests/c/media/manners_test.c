/* Loading FFmpeg does not change the process's signals. */
#include <nalu/media.h>

#include "check.h"
#include "dispositions.h"

static void loading_ffmpeg_changes_no_signal(void) {
    const dispositions before = dispositions_now();
    CHECK_OK(nalu_media_load());
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

int main(void) {
    RUN(loading_ffmpeg_changes_no_signal);
    return check_result();
}
