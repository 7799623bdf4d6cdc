internal import Nalu

/// The conversion from the bytes of a frame in the input to the planes of a view.
///
/// `@unchecked Sendable`: constant; the neutral chroma is written before another thread sees the object.
@safe
final class FramePacking: @unchecked Sendable {
    enum Kind {
        /// Planes in the session's layout, one after the other, without padding.
        case asItIs
        /// Luma alone; neutral chroma makes it 4:2:0.
        case lumaOnly
        /// Planar Y, Cb and Cr in little-endian words of 16 bits whose lowest 10 bits count; becomes 'x420' or 'xf20'.
        case planar10
        /// Luma alone in words as in `planar10`.
        case luma10
    }

    let facts: VideoFacts
    /// The size of a frame in the input.
    let byteCount: Int
    private let chroma: UnsafeMutableRawBufferPointer
    private let converted: FrameMemoryPool?

    init(_ facts: VideoFacts) {
        self.facts = facts
        let (width, height) = (facts.width, facts.height)
        let chromaSamples = ((width + 1) / 2) * ((height + 1) / 2)
        switch facts.packing {
        case .asItIs:
            let format = facts.format
            byteCount = (0..<format.planeCount).reduce(0) { sum, plane in
                sum + format.minimumBytesPerRow(plane, ofWidth: width) * format.planeHeight(plane, ofHeight: height)
            }
        case .lumaOnly: byteCount = width * height
        case .planar10: byteCount = 2 * (width * height + 2 * chromaSamples)
        case .luma10: byteCount = 2 * width * height
        }
        unsafe chroma = .allocate(byteCount: facts.packing == .lumaOnly ? chromaSamples : 0, alignment: 64)
        unsafe chroma.initializeMemory(as: UInt8.self, repeating: 128)
        converted =
            facts.packing == .planar10 || facts.packing == .luma10
            ? FrameMemoryPool(byteCount: 2 * (width * height + 2 * chromaSamples)) : nil
    }

    deinit {
        unsafe chroma.deallocate()
    }

    /// Returns the frame with these bytes.
    ///
    /// - Parameter owner: the object that keeps `bytes` valid.
    func frame(_ bytes: UnsafeRawPointer, owner: AnyObject) throws -> SourceFrame {
        switch facts.packing {
        case .asItIs:
            return unsafe SourceFrame(view: try view(bytes, chroma: nil), owner: owner)
        case .lumaOnly:
            return unsafe SourceFrame(view: try view(bytes, chroma: UnsafeRawPointer(chroma.baseAddress)), owner: owner)
        case .planar10, .luma10:
            guard let converted else { throw Failure("out of memory for frames with 10 bits") }
            let memory = try converted.take()
            unsafe convert(bytes, to: memory.bytes)
            return unsafe SourceFrame(
                view: try view(UnsafeRawPointer(memory.bytes.baseAddress.unsafelyUnwrapped), chroma: nil), owner: memory
            )
        }
    }

    /// - Parameter chroma: the address of both chroma planes, if they do not follow the luma plane.
    private func view(_ bytes: UnsafeRawPointer, chroma: UnsafeRawPointer?) throws(NaluError) -> PixelView {
        let format = facts.format
        var planes: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) = unsafe (bytes, bytes, bytes)
        var strides: (Int64, Int64, Int64) = (0, 0, 0)
        var next = unsafe bytes
        for plane in 0..<format.planeCount {
            let stride = format.minimumBytesPerRow(plane, ofWidth: facts.width)
            let address = unsafe plane > 0 ? chroma ?? next : next
            switch plane {
            case 0: unsafe (planes.0, strides.0) = (address, Int64(stride))
            case 1: unsafe (planes.1, strides.1) = (address, Int64(stride))
            default: unsafe (planes.2, strides.2) = (address, Int64(stride))
            }
            unsafe next += stride * format.planeHeight(plane, ofHeight: facts.height)
        }
        return unsafe try withUnsafePointer(to: &planes) { planes throws(NaluError) in
            unsafe try withUnsafePointer(to: &strides) { strides throws(NaluError) in
                unsafe try PixelView.validated(
                    format: format, width: facts.width, height: facts.height, planeCount: format.planeCount,
                    planes: UnsafeRawPointer(planes).assumingMemoryBound(to: UnsafeRawPointer?.self),
                    strides: UnsafeRawPointer(strides).assumingMemoryBound(to: Int64.self), planeSizes: nil)
            }
        }
    }

    /// Shifts 10 bits to the top of their words and interleaves Cb and Cr.
    private func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawBufferPointer) {
        let luma = facts.width * facts.height
        let chroma = ((facts.width + 1) / 2) * ((facts.height + 1) / 2)
        let words = unsafe target.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt16.self)
        func sample(_ index: Int) -> UInt16 {
            UInt16(littleEndian: unsafe source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) &<< 6
        }
        for index in 0..<luma {
            unsafe words[index] = sample(index)
        }
        for index in 0..<chroma {
            let isThere = facts.packing == .planar10
            unsafe words[luma + 2 * index] = isThere ? sample(luma + index) : 512 << 6
            unsafe words[luma + 2 * index + 1] = isThere ? sample(luma + chroma + index) : 512 << 6
        }
    }
}

/// A frame of the input, and the object that keeps its pixels valid.
///
/// `@unchecked Sendable`: the pixels do not change before the owner is released.
struct SourceFrame: @unchecked Sendable {
    let view: PixelView
    let owner: AnyObject
}
