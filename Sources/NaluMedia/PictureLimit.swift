internal import Nalu
internal import NaluBase

/// The most pixels that a client accepts in a picture. A few bytes can announce a picture that needs hundreds of
/// megabytes.
struct PictureLimit: Sendable {
    /// The default limit in pixels: MaxFS of level 6.2 (ITU-T H.264 table A-1), 139,264 macroblocks of 256 pixels.
    /// MaxLumaPs of ITU-T H.265 table A.8 is the same.
    static let standard: Int64 = 139_264 * 256

    let count: Int64
    private let spelling: Spelling

    /// - Parameter count: the limit; 0 for the default.
    init(_ count: Int64, _ spelling: Spelling) {
        self.count = count == 0 ? Self.standard : count
        self.spelling = spelling
    }

    /// The limit as FFmpeg expects it: FFmpeg counts rows whose length is rounded up to a multiple of 64 pixels.
    var forFFmpeg: Int64 {
        let room = 64 * Int64(SequenceParameterSet.maximumDimension)
        return count > .max - room ? count : count + room
    }

    func check() throws(NaluError) {
        guard count < 0 else { return }
        throw NaluError(
            .outOfRange, "\(spelling.maximumPixelCount) is \(count); expected 1 or more, or 0 for \(Self.standard)")
    }

    func check(_ info: SequenceParameterSet) throws(NaluError) {
        if let refusal = refusal(width: Int32(clamping: info.codedWidth), height: Int32(clamping: info.codedHeight)) {
            throw refusal
        }
    }

    /// Returns the error for a picture of this size; nil if the size is allowed.
    func refusal(width: Int32, height: Int32) -> NaluError? {
        let found = Int64(width) * Int64(height)
        guard found > count else { return nil }
        return NaluError(
            .invalidSize,
            "the pictures of the stream have \(width)x\(height) pixels, which are \(found); expected at most \(count), \(spelling.pictureLimit)"
        )
    }
}
