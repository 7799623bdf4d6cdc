internal import CFFmpeg
internal import NaluBase

/// Finds pictures of which a part was never decoded, which FFmpeg does not report in every version and with every kind
/// of threads.
///
/// Each block of 16 by 16 gets a stamp before the decoder writes to it; where one is left, nothing has been written. The place
/// is out of reach of deblocking; FFmpeg's sample adaptive offset for H.265 also changes what was not decoded. Of
/// pictures in one part, which is decoded in order, the first and the last one are enough.
///
/// `@unchecked Sendable`: a decoder's threads stamp, another looks; the list is guarded, and a picture that is looked at is
/// finished.
@safe
final class MissingSliceDetector: @unchecked Sendable {
    @safe
    private struct Picture {
        let number: UInt64
        /// Keeps the pixels.
        let buffer: BufferReference
        let luma: UnsafeMutableRawPointer
        let stride: Int
        let height: Int
        /// Bytes in a row.
        let width: Int
        let pixelSize: Int
        let isSplit: Bool

        init?(_ frame: UnsafeMutablePointer<AVFrame>, isSplit: Bool) {
            guard let luma = unsafe frame.pointee.data.0, let owner = unsafe frame.pointee.buf.0,
                let description = unsafe av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format)),
                let buffer = unsafe BufferReference(retaining: owner)
            else { return nil }
            self.isSplit = isSplit
            number = unsafe UInt64(bitPattern: frame.pointee.pts)
            self.buffer = buffer
            unsafe self.luma = UnsafeMutableRawPointer(luma)
            stride = unsafe Int(frame.pointee.linesize.0)
            height = unsafe Int(frame.pointee.height)
            pixelSize = unsafe description.pointee.comp.0.depth > 8 ? 2 : 1
            width = unsafe Int(frame.pointee.width) * pixelSize
        }

        /// Two rows, one of each field.
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

        /// `isFiltered`: what is left of a stamp may have changed a little; then there are no fields, and both rows count.
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

        /// Whether sample adaptive offset can have made this of the mark: ITU-T H.265 7.4.9.3.
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

        /// Where a stamp is left, what is above it in the buffer, of an older picture.
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

        /// All, or the first and the last.
        private func steps(from start: Int, to end: Int, by step: Int) -> StrideTo<Int> {
            let count = max((end - start + step - 1) / step, 1)
            return Swift.stride(from: start, to: end, by: isSplit ? step : max(count - 1, 1) * step)
        }
    }

    private static let block = 16
    private static let row = 3
    private static let column = 4
    /// No picture has it by chance. It is no flat place that H.265 would deblock.
    private static let mark: UInt64 = 0xA713_F25C_09E8_41BD
    /// The same of 10 bits.
    private static let wideMark: UInt64 = 0x031D_0047_03B2_0029

    private struct State {
        var pictures: [Picture] = []
        var isSplit = false
    }

    private let state = Monitor(State())
    private let keepsLast: Bool
    private let isFiltered: Bool

    /// Of several pictures of one H.264 sample all but the last stand for missing ones.
    init(isHEVC: Bool) {
        keepsLast = !isHEVC
        isFiltered = isHEVC
    }

    /// From the next sample on, pictures may be in several parts.
    func expectSplit() {
        try? state.locked { $0.isSplit = true }
    }

    /// The decoder is going to write to this picture.
    func stamp(_ frame: UnsafeMutablePointer<AVFrame>) {
        let isSplit = (try? state.locked { $0.isSplit }) == true
        guard let picture = unsafe Picture(frame, isSplit: isSplit) else { return }
        picture.stamp()
        // The one before goes outside the lock.
        let former = try? state.locked { state -> Picture? in
            defer { state.pictures.append(picture) }
            guard keepsLast, let index = state.pictures.lastIndex(where: { $0.number == picture.number }) else {
                return nil
            }
            return state.pictures.remove(at: index)
        }
        withExtendedLifetime(former) {}
    }

    /// The next picture that has a gap, in decode order, up to the sample with this number; the decoder is done with all of
    /// these. The client may see what is in the gap.
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
