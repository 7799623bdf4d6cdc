/* FFmpeg writes its log messages to stderr, unless the program directs them elsewhere. It cannot here: its functions are hidden
 * inside libnalu. What fails is a status and an error message all the same. */
#include <libavutil/log.h>

__attribute__((constructor)) static void silence(void) {
    av_log_set_level(AV_LOG_QUIET);
}
