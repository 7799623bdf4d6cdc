internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// An AVFrame: a decoded picture with a reference to its pixels.
///
/// `@unchecked Sendable`: one thread at a time uses a frame that is being decoded, and no thread changes a delivered
/// frame.
@safe
final class DecodedPicture: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>
    private let birth: UInt32

    /// nil if there is no memory.
    init?() {
        ForkCount.watch()
        birth = ForkCount.current
        guard let made = unsafe av_frame_alloc() else { return nil }
        unsafe pointer = made
    }

    /// Creates a frame that shares the pixels of another one; nil if there is no memory.
    convenience init?(sharing frame: UnsafePointer<AVFrame>) {
        self.init()
        guard unsafe av_frame_ref(pointer, frame) >= 0 else { return nil }
    }

    deinit {
        // The memory is leaked in a child of a fork, because a thread of the parent may have held the lock of FFmpeg's
        // pool.
        guard birth == ForkCount.current else { return }
        var spent: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&spent)
    }

    /// Returns the three planes as pixels of `format`. The view is valid as long as the picture.
    func view(_ format: PixelFormat) throws(NaluError) -> PixelView {
        let frame = unsafe pointer.pointee
        let planes = unsafe [frame.data.0, frame.data.1, frame.data.2].map { UnsafeRawPointer($0) }
        let strides = unsafe [frame.linesize.0, frame.linesize.1, frame.linesize.2].map(Int64.init)
        return try unsafe PixelView.validated(
            format: format, width: Int(frame.width), height: Int(frame.height), planeCount: 3, planes: planes,
            strides: strides, planeSizes: nil)
    }

    /// Returns a row of one of three planes; nil if the frame has no such plane.
    func row<Element>(_ y: Int, ofPlane plane: Int, as type: Element.Type) -> UnsafePointer<Element>? {
        let start: UnsafeMutablePointer<UInt8>?
        let stride: Int32
        switch plane {
        case 0: unsafe (start, stride) = unsafe (pointer.pointee.data.0, pointer.pointee.linesize.0)
        case 1: unsafe (start, stride) = unsafe (pointer.pointee.data.1, pointer.pointee.linesize.1)
        default: unsafe (start, stride) = unsafe (pointer.pointee.data.2, pointer.pointee.linesize.2)
        }
        return unsafe start.map { unsafe UnsafeRawPointer($0 + Int(stride) * y).assumingMemoryBound(to: type) }
    }
}
