internal import Nalu

extension CompressionSession: HandleObject { static var handleNoun: StaticString { "a nalu_compression_session" } }
extension FormatDescription: HandleObject { static var handleNoun: StaticString { "a nalu_format_description" } }
extension LossDetector: HandleObject { static var handleNoun: StaticString { "a nalu_loss_detector" } }
extension MultiPassStorage: HandleObject { static var handleNoun: StaticString { "a nalu_multi_pass_storage" } }
extension OutputQueue: HandleObject { static var handleNoun: StaticString { "a nalu_output_queue" } }
extension ChunkJoiner: HandleObject { static var handleNoun: StaticString { "a nalu_chunk_joiner" } }
extension PixelBuffer: HandleObject { static var handleNoun: StaticString { "a nalu_pixel_buffer" } }
extension PixelBufferPool: HandleObject { static var handleNoun: StaticString { "a nalu_pixel_buffer_pool" } }
extension Sample: HandleObject { static var handleNoun: StaticString { "a nalu_sample" } }
extension StreamParser: HandleObject { static var handleNoun: StaticString { "a nalu_stream_parser" } }
extension Timebase: HandleObject { static var handleNoun: StaticString { "a nalu_timebase" } }
extension TimebaseTimer: HandleObject { static var handleNoun: StaticString { "a nalu_timebase_timer" } }
