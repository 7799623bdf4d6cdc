// media/load.h: FFmpeg's libraries.

public import CNalu
internal import Nalu
internal import NaluMediaEngine

@c @implementation
public func nalu_media_load() -> nalu_status {
    attempt { () throws(NaluError) in try FFmpegLibraries.load() }
}
