internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// An AVFrame: a decoded picture with a reference to its pixels.
///
/// `@unchecked Sendable`: one thread at a time uses a frame that is being decoded, and no thread changes a delivered
/// frame.
final class DecodedPicture: @unchecked Sendable {
    let fields: FFmpegStruct<AVFrame>
    private let birth: UInt32

    /// nil if there is no memory.
    init?() {
        ForkCount.watch()
        birth = ForkCount.current
        guard let made = unsafe FFmpegStruct(av_frame_alloc()) else { return nil }
        fields = made
    }

    /// Creates a frame that shares the pixels of another one; nil if there is no memory.
    convenience init?(sharing frame: FFmpegStruct<AVFrame>) {
        self.init()
        guard unsafe av_frame_ref(fields.pointer, frame.pointer) >= 0 else { return nil }
    }

    deinit {
        // The memory is leaked in a child of a fork, because a thread of the parent may have held the lock of FFmpeg's
        // pool.
        if birth == ForkCount.current { unsafe fields.free(av_frame_free) }
    }

    /// The number of the sample that the picture belongs to. ``VideoDecoder`` passes it as the packet's time.
    var number: UInt64 {
        get { UInt64(bitPattern: fields.pts) }
        set { fields.pts = Int64(bitPattern: newValue) }
    }

    var width: Int { Int(fields.width) }
    var height: Int { Int(fields.height) }

    /// Returns the three planes as pixels of `format`. The view is valid as long as the picture.
    func view(_ format: PixelFormat) throws(NaluError) -> PixelView {
        let planes = unsafe (0..<3).map { unsafe plane($0) }
        return try unsafe PixelView.validated(
            format: format, width: width, height: height, planeCount: 3, planes: unsafe planes.map { unsafe $0.start },
            strides: unsafe planes.map { unsafe Int64($0.stride) }, planeSizes: nil)
    }

    /// Returns a row of one of three planes; nil if the frame has no such plane.
    func row<Element>(_ y: Int, ofPlane number: Int, as type: Element.Type) -> UnsafePointer<Element>? {
        let (start, stride) = unsafe plane(number)
        return unsafe start.map { unsafe ($0 + stride * y).assumingMemoryBound(to: type) }
    }

    private func plane(_ number: Int) -> (start: UnsafeRawPointer?, stride: Int) {
        let (data, strides) = unsafe (fields.data, fields.linesize)
        return switch number {
        case 0: unsafe (UnsafeRawPointer(data.0), Int(strides.0))
        case 1: unsafe (UnsafeRawPointer(data.1), Int(strides.1))
        default: unsafe (UnsafeRawPointer(data.2), Int(strides.2))
        }
    }
}
