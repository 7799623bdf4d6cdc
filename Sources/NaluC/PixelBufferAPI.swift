// pixel_buffer.h: buffers, pools, conversion. The client owns the planes of a wrapping buffer.

public import CNalu
internal import Nalu

extension PixelBuffer: HandleObject { static var handleNoun: StaticString { "a nalu_pixel_buffer" } }
extension PixelBufferPool: HandleObject { static var handleNoun: StaticString { "a nalu_pixel_buffer_pool" } }

private func buffer(_ handle: OpaquePointer?) -> PixelBuffer? {
    unsafe Handle.object(handle, PixelBuffer.self)
}

@c @implementation
public func nalu_pixel_buffer_create(
    _ width: Int32, _ height: Int32, _ format: nalu_pixel_format, _ buffer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("buffer_out", buffer_out) { () throws(NaluError) in
        try PixelBuffer(format: PixelFormat(rawValue: format), width: Int(width), height: Int(height))
    }
}

@c @implementation
public func nalu_pixel_buffer_create_with_planes(
    _ width: Int32, _ height: Int32, _ format: nalu_pixel_format, _ plane_count: UInt32,
    _ planes: UnsafePointer<UnsafeRawPointer?>?, _ strides: UnsafePointer<Int64>?,
    _ plane_sizes: UnsafePointer<UInt64>?, _ release_callback: nalu_pixel_buffer_release_callback?,
    _ release_refcon: UnsafeMutableRawPointer?, _ buffer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("buffer_out", buffer_out) { () throws(NaluError) in
        let view = try unsafe PixelView.validated(
            format: PixelFormat(rawValue: format), width: Int(width), height: Int(height), planeCount: Int(plane_count),
            planes: planes, strides: strides, planeSizes: plane_sizes)
        return unsafe PixelBuffer(wrapping: view, release: release_callback, refcon: release_refcon)
    }
}

@c @implementation
public func nalu_pixel_buffer_retain(_ handle: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(handle, PixelBuffer.self)
    return unsafe handle
}

@c @implementation
public func nalu_pixel_buffer_release(_ handle: OpaquePointer?) {
    unsafe Handle.release(handle, PixelBuffer.self)
}

@c @implementation
public func nalu_pixel_buffer_get_width(_ handle: OpaquePointer?) -> Int32 {
    unsafe Int32(buffer(handle)?.width ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_height(_ handle: OpaquePointer?) -> Int32 {
    unsafe Int32(buffer(handle)?.height ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_pixel_format(_ handle: OpaquePointer?) -> nalu_pixel_format {
    unsafe buffer(handle)?.format.rawValue ?? 0
}

@c @implementation
public func nalu_pixel_buffer_get_plane_count(_ handle: OpaquePointer?) -> UInt32 {
    unsafe UInt32(buffer(handle)?.planeCount ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_plane_width(_ handle: OpaquePointer?, _ plane: UInt32) -> Int32 {
    unsafe Int32(clamping: buffer(handle)?.planeWidth(Int(plane)) ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_plane_height(_ handle: OpaquePointer?, _ plane: UInt32) -> Int32 {
    unsafe Int32(clamping: buffer(handle)?.planeHeight(Int(plane)) ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_plane_stride(_ handle: OpaquePointer?, _ plane: UInt32) -> Int64 {
    unsafe Int64(buffer(handle)?.planeStride(Int(plane)) ?? 0)
}

@c @implementation
public func nalu_pixel_buffer_get_plane_base_address(_ handle: OpaquePointer?, _ plane: UInt32)
    -> UnsafeMutableRawPointer?
{
    unsafe buffer(handle)?.planeBaseAddress(Int(plane))
}

@c @implementation
public func nalu_pixel_buffer_pool_create(
    _ width: Int32, _ height: Int32, _ format: nalu_pixel_format, _ maximum_buffer_count: UInt32,
    _ pool_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("pool_out", pool_out) { () throws(NaluError) in
        try PixelBufferPool(
            format: PixelFormat(rawValue: format), width: Int(width), height: Int(height),
            maximumBufferCount: Int(maximum_buffer_count))
    }
}

@c @implementation
public func nalu_pixel_buffer_pool_create_pixel_buffer(
    _ pool: OpaquePointer?, _ buffer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("buffer_out", buffer_out) { () throws(NaluError) in
        try unsafe Handle.required(pool, "pool", PixelBufferPool.self).makeBuffer()
    }
}

@c @implementation
public func nalu_pixel_buffer_pool_retain(_ pool: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(pool, PixelBufferPool.self)
    return unsafe pool
}

@c @implementation
public func nalu_pixel_buffer_pool_release(_ pool: OpaquePointer?) {
    unsafe Handle.release(pool, PixelBufferPool.self)
}

@c @implementation
public func nalu_pixel_transfer_image(
    _ source: OpaquePointer?, _ destination: OpaquePointer?, _ matrix: Int32
) -> nalu_status {
    attempt { () throws(NaluError) in
        let source = try unsafe Handle.required(source, "source", PixelBuffer.self)
        let destination = try unsafe Handle.required(destination, "destination", PixelBuffer.self)
        let matrix = try ColorMatrix.numbered(matrix, height: destination.height)
        try PixelTransfer().transfer(from: source, to: destination, matrix: matrix)
    }
}
