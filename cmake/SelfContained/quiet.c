/* FFmpeg writes log messages to stderr by default. A program cannot change this here, because FFmpeg's functions are hidden
 * inside libnalu. So this library disables them. Failures are reported by a status and an error message. */
#include <libavutil/log.h>

__attribute__((constructor)) static void silence(void) {
    av_log_set_level(AV_LOG_QUIET);
}
