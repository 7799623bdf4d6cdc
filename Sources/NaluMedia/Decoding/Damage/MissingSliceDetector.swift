internal import CFFmpeg
internal import NaluBase

/// Finds pictures with a slice that was never decoded. Some versions of FFmpeg, and one of its two kinds of threads, do
/// not report these.
///
/// Each block of 16x16 gets a stamp before the decoder writes to it. A stamp that is left shows that nothing was
/// written. The stamp lies inside its block, where deblocking does not reach. FFmpeg's sample adaptive offset for H.265
/// also changes samples that were not decoded. The slices of a picture are decoded in order, so the first and the last
/// block suffice if a picture has one slice.
///
/// `@unchecked Sendable`: the decoder's threads stamp pictures, and another thread checks them. A lock guards the list,
/// and only finished pictures are checked.
@safe
final class MissingSliceDetector: @unchecked Sendable {
    @safe
    private struct Picture {
        let number: UInt64
        /// The reference that keeps the pixels in memory.
        let buffer: BufferReference
        let luma: UnsafeMutableRawPointer
        let stride: Int
        let height: Int
        /// The number of bytes in a row, without padding.
        let width: Int
        let pixelSize: Int
        let isSplit: Bool

        init?(_ frame: FFmpegStruct<AVFrame>, isSplit: Bool) {
            guard let luma = unsafe frame.data.0, let buffer = BufferReference(of: frame),
                let layout = PictureLayout(AVPixelFormat(frame.format))
            else { return nil }
            self.isSplit = isSplit
            number = UInt64(bitPattern: frame.pts)
            self.buffer = buffer
            unsafe self.luma = UnsafeMutableRawPointer(luma)
            stride = Int(frame.linesize.0)
            height = Int(frame.height)
            pixelSize = layout.depth > 8 ? 2 : 1
            width = Int(frame.width) * pixelSize
        }

        /// Stamps two adjacent rows of each block, so that each field has one.
        func stamp() {
            for y in rows {
                for line in y...y + 1 {
                    let row = unsafe luma + line * stride
                    for x in places {
                        unsafe row.storeBytes(of: mark, toByteOffset: x, as: UInt64.self)
                    }
                }
            }
        }

        /// Returns true if no stamp is left.
        ///
        /// - Parameter isFiltered: whether sample adaptive offset may have changed a stamp slightly. Such pictures have
        ///   no fields, so a stamp counts as left if both rows are near it.
        func isCovered(isFiltered: Bool) -> Bool {
            for y in rows {
                let first = unsafe UnsafeRawPointer(luma + y * stride)
                for x in places {
                    let marks = unsafe (
                        first.loadUnaligned(fromByteOffset: x, as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: x + stride, as: UInt64.self)
                    )
                    if isFiltered {
                        if isNearMark(marks.0) && isNearMark(marks.1) { return false }
                    } else if marks.0 == mark || marks.1 == mark {
                        return false
                    }
                }
            }
            return true
        }

        /// Returns whether sample adaptive offset can have turned the mark into `found` (ITU-T H.265 7.4.9.3).
        private func isNearMark(_ found: UInt64) -> Bool {
            let bits = pixelSize * 8
            let reach = pixelSize == 1 ? 7 : 31
            for shift in Swift.stride(from: 0, to: 64, by: bits) {
                let sample = UInt64(1) << UInt64(bits) - 1
                let distance = Int(found >> UInt64(shift) & sample) - Int(mark >> UInt64(shift) & sample)
                if abs(distance) > reach { return false }
            }
            return true
        }

        private var mark: UInt64 { pixelSize == 1 ? MissingSliceDetector.mark : MissingSliceDetector.wideMark }

        /// Replaces each stamp that is left by the bytes above it in the buffer, which are from an older picture.
        func wipe() {
            for y in rows {
                for line in y...y + 1 {
                    let row = unsafe luma + line * stride
                    for x in places
                    where unsafe row.loadUnaligned(fromByteOffset: x, as: UInt64.self) == mark {
                        let above = unsafe row.loadUnaligned(fromByteOffset: x - stride, as: UInt64.self)
                        unsafe row.storeBytes(of: above, toByteOffset: x, as: UInt64.self)
                    }
                }
            }
        }

        private var rows: StrideTo<Int> {
            steps(from: MissingSliceDetector.row, to: height - 1, by: MissingSliceDetector.block)
        }

        private var places: StrideTo<Int> {
            let block = MissingSliceDetector.block * pixelSize
            return steps(from: MissingSliceDetector.column * pixelSize, to: width - 7, by: block)
        }

        /// Returns all positions, or the first and the last one if the picture has one slice.
        private func steps(from start: Int, to end: Int, by step: Int) -> StrideTo<Int> {
            let count = max((end - start + step - 1) / step, 1)
            return Swift.stride(from: start, to: end, by: isSplit ? step : max(count - 1, 1) * step)
        }
    }

    private static let block = 16
    private static let row = 3
    private static let column = 4
    /// The stamp of 8-bit samples: no picture contains it by chance, and it is not flat, so that H.265 does not deblock
    /// it.
    private static let mark: UInt64 = 0xA713_F25C_09E8_41BD
    /// The stamp of samples in 16-bit words: four values of 10 bits.
    private static let wideMark: UInt64 = 0x031D_0047_03B2_0029

    private struct State {
        var pictures: [Picture] = []
        var isSplit = false
    }

    private let state = Monitor(State())
    private let keepsLast: Bool
    private let isFiltered: Bool

    /// If the decoder begins several pictures for one H.264 sample, all but the last replace missing frames. Only the
    /// last one is checked.
    init(isHEVC: Bool) {
        keepsLast = !isHEVC
        isFiltered = isHEVC
    }

    /// Prepares for pictures of several slices, from the next sample on.
    func expectSplit() {
        try? state.locked { $0.isSplit = true }
    }

    /// Stamps a picture that the decoder is going to write to.
    func stamp(_ frame: FFmpegStruct<AVFrame>) {
        let isSplit = (try? state.locked { $0.isSplit }) == true
        guard let picture = Picture(frame, isSplit: isSplit) else { return }
        picture.stamp()
        // The former picture of the same sample is released outside the lock.
        let former = try? state.locked { state -> Picture? in
            defer { state.pictures.append(picture) }
            guard keepsLast, let index = state.pictures.lastIndex(where: { $0.number == picture.number }) else {
                return nil
            }
            return state.pictures.remove(at: index)
        }
        withExtendedLifetime(former) {}
    }

    /// Returns the number of the next sample, in decode order, whose picture lacks a slice; nil if there is none up to
    /// `number`. The decoder must have finished all of these pictures. Stamps in the gap are removed, because the
    /// client may see it.
    func popGap(upTo number: UInt64) -> UInt64? {
        while let picture = pop(upTo: number) {
            defer { withExtendedLifetime(picture.buffer) {} }
            if !picture.isCovered(isFiltered: isFiltered) {
                picture.wipe()
                return picture.number
            }
        }
        return nil
    }

    func forget() {
        while pop(upTo: .max) != nil {}
    }

    private func pop(upTo number: UInt64) -> Picture? {
        try? state.locked { state in
            state.pictures.firstIndex { $0.number <= number }.map { state.pictures.remove(at: $0) }
        }
    }
}
