/* The layouts of the structs in nalu/media; see session/layout_test.c. */
#include "check.h"

#include <nalu/media.h>

#define FIELD(type, field, at, bytes) \
    _Static_assert(offsetof(type, field) == (at), #type "." #field " has moved"); \
    _Static_assert(sizeof(((type *)0)->field) == (bytes), #type "." #field " has changed size")
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has changed size")

SIZE(nalu_writer_options, 24);
FIELD(nalu_writer_options, struct_size, 0, 4);
FIELD(nalu_writer_options, flags, 4, 4);
FIELD(nalu_writer_options, fragment_duration, 8, 8);
FIELD(nalu_writer_options, creation_time, 16, 8);

SIZE(nalu_writer_track_options, 16);
FIELD(nalu_writer_track_options, struct_size, 0, 4);
FIELD(nalu_writer_track_options, rotation, 4, 4);
FIELD(nalu_writer_track_options, timescale, 8, 4);
FIELD(nalu_writer_track_options, is_mirrored, 12, 4);

SIZE(nalu_writer_counts, 40);
FIELD(nalu_writer_counts, struct_size, 0, 4);
FIELD(nalu_writer_counts, repaired_decode_times, 8, 8);
FIELD(nalu_writer_counts, moved_presentation_times, 16, 8);
FIELD(nalu_writer_counts, moved_packets, 24, 8);
FIELD(nalu_writer_counts, left_out_packets, 32, 8);

SIZE(nalu_reader_options, 48);
FIELD(nalu_reader_options, struct_size, 0, 4);
FIELD(nalu_reader_options, flags, 4, 4);
FIELD(nalu_reader_options, frame_duration, 8, 24);
FIELD(nalu_reader_options, format, 32, 8);
FIELD(nalu_reader_options, maximum_pixel_count, 40, 8);

SIZE(nalu_reader_track, 184);
FIELD(nalu_reader_track, struct_size, 0, 4);
FIELD(nalu_reader_track, flags, 4, 4);
FIELD(nalu_reader_track, media_type, 8, 4);
FIELD(nalu_reader_track, codec, 12, 4);
FIELD(nalu_reader_track, codec_name, 16, 8);
FIELD(nalu_reader_track, language, 24, 4);
FIELD(nalu_reader_track, timescale, 28, 4);
FIELD(nalu_reader_track, start_time, 32, 24);
FIELD(nalu_reader_track, duration, 56, 24);
FIELD(nalu_reader_track, bit_rate, 80, 8);
FIELD(nalu_reader_track, sample_count, 88, 8);
FIELD(nalu_reader_track, width, 96, 4);
FIELD(nalu_reader_track, height, 100, 4);
FIELD(nalu_reader_track, rotation, 104, 4);
FIELD(nalu_reader_track, is_mirrored, 108, 4);
FIELD(nalu_reader_track, transform, 112, 48);
FIELD(nalu_reader_track, pixel_aspect_ratio_horizontal, 160, 4);
FIELD(nalu_reader_track, pixel_aspect_ratio_vertical, 164, 4);
FIELD(nalu_reader_track, nominal_frame_rate, 168, 8);
FIELD(nalu_reader_track, sample_rate, 176, 4);
FIELD(nalu_reader_track, channel_count, 180, 4);

/* The numbers of AVAssetReader.Status. */
_Static_assert(NALU_READER_STATUS_COMPLETED == 2 && NALU_READER_STATUS_CANCELLED == 4, "");

int main(void) { return check_result(); }
