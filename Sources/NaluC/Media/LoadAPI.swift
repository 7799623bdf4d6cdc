// media/load.h: loading of FFmpeg's libraries.

public import CNalu
internal import Nalu
internal import NaluMedia

@c @implementation
public func nalu_media_load() -> nalu_status {
    attempt { () throws(NaluError) in try FFmpegLibraries.load() }
}
