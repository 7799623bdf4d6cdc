internal import CFFmpeg
internal import NaluBase

/// A struct of FFmpeg in memory that another object owns. That object keeps the memory as long as this value is in use,
/// so fields that contain no pointers are read and written here like safe properties.
@safe @dynamicMemberLookup
struct FFmpegStruct<Struct> {
    let pointer: UnsafeMutablePointer<Struct>

    init(_ pointer: UnsafeMutablePointer<Struct>) {
        unsafe self.pointer = pointer
    }

    /// nil for a NULL pointer.
    init?(_ pointer: UnsafeMutablePointer<Struct>?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.init(pointer)
    }

    // Inlined, so that the compiler turns the key path into an access to the field.
    @inline(__always)
    subscript<Field>(dynamicMember field: WritableKeyPath<Struct, Field>) -> Field {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }

    /// Frees the struct with one of FFmpeg's functions.
    func free(_ function: (UnsafeMutablePointer<UnsafeMutablePointer<Struct>?>?) -> Void) {
        var spent: UnsafeMutablePointer<Struct>? = unsafe pointer
        unsafe function(&spent)
    }
}

extension FFmpegStruct<AVCodecContext> {
    /// Allocates a context, and a frame for its audio. Throws `error` if there is no memory.
    @unsafe
    static func withFrame(
        of codec: UnsafePointer<AVCodec>, orThrow error: NaluError
    ) throws(NaluError) -> (FFmpegStruct<AVCodecContext>, FFmpegStruct<AVFrame>) {
        guard let context = unsafe FFmpegStruct(avcodec_alloc_context3(codec)) else { throw error }
        guard let frame = unsafe FFmpegStruct<AVFrame>(av_frame_alloc()) else {
            unsafe context.free(avcodec_free_context)
            throw error
        }
        return (context, frame)
    }
}

/// Returns the object that was passed to FFmpeg with a callback. It must be alive, and of this type.
@unsafe
func owner<Object: AnyObject>(_ opaque: UnsafeMutableRawPointer?) -> Object {
    guard let opaque = unsafe opaque else { preconditionFailure("a callback of FFmpeg's without its object") }
    return unsafe Unmanaged<Object>.fromOpaque(opaque).takeUnretainedValue()
}
