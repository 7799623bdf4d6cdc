package import Nalu
internal import NaluBase

/// What a reader was asked for.
package struct ReaderOptions: Sendable {
    /// For raw streams without timing information; all zeros: as the stream says.
    package var frameDuration = MediaTime.invalid
    /// mp4, mov: every sample, with the times of the media.
    package var ignoresEditList = false
    /// mp4, mov: also samples that the edit list hides and that nothing displayed refers to.
    package var keepsHidden = false

    /// An input that cannot seek and has an mp4 or mov with its index at the end goes to a temporary file first.
    package var spools = false

    /// A name of ``Reader/container``, or another one that FFmpeg has for the demuxer; nil: as the content says.
    package var format: String?

    /// The most pixels of a picture before cropping; 0 for the default.
    package var maximumPixelCount: Int64 = 0

    let face: Face

    package init(face: Face) {
        self.face = face
    }

    var pictureLimit: PictureLimit { PictureLimit(maximumPixelCount, face) }

    func check() throws(NaluError) {
        try pictureLimit.check()
        let isNone = frameDuration.value == 0 && frameDuration.timescale == 0 && frameDuration.flags == []
        guard isNone || (frameDuration.isNumeric && frameDuration.value > 0) else {
            throw NaluError(
                .invalidTime,
                "\(face.frameDuration) is \(TrackClock.text(frameDuration)); expected more than 0, or all zeros")
        }
    }
}
