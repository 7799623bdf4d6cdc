internal import CNalu
internal import NaluBase

/// Buffers of one format and size, made anew when another is asked for.
@safe
final class ImagePool {
    private var pool: OpaquePointer?
    private var format: nalu_pixel_format = 0
    private var width: Int32 = 0
    private var height: Int32 = 0

    deinit {
        unsafe nalu_pixel_buffer_pool_release(pool)
    }

    /// A `nalu_pixel_buffer` with one reference.
    func buffer(_ format: nalu_pixel_format, _ width: Int32, _ height: Int32) throws(NaluError) -> OpaquePointer {
        if unsafe pool == nil || (format, width, height) != (self.format, self.width, self.height) {
            unsafe nalu_pixel_buffer_pool_release(pool)
            unsafe pool = nil
            guard unsafe nalu_pixel_buffer_pool_create(width, height, format, 0, &pool) == NALU_STATUS_OK else {
                throw Self.outOfMemory
            }
            (self.format, self.width, self.height) = (format, width, height)
        }
        var made: OpaquePointer?
        guard unsafe nalu_pixel_buffer_pool_create_pixel_buffer(pool, &made) == NALU_STATUS_OK,
            let made = unsafe made
        else { throw Self.outOfMemory }
        return unsafe made
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for an image")
    }
}
