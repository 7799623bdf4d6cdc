package import Nalu
internal import NaluBase

/// The options of a reader.
package struct ReaderOptions: Sendable {
    /// The frame duration of raw streams without timing information; all zeros for the stream's own.
    package var frameDuration = MediaTime.invalid
    /// mp4, mov: returns every sample, with the times of the media.
    package var ignoresEditList = false
    /// mp4, mov: also returns samples that the edit list hides and that no displayed sample refers to.
    package var keepsHidden = false

    /// Copies an input to a temporary file first, if it cannot seek and is an mp4 or mov with its index at the end.
    package var spools = false

    /// The format: a name of ``Reader/container``, or another FFmpeg name of a demuxer; nil to detect it from the
    /// content.
    package var format: String?

    /// The largest number of pixels in a picture before cropping; 0 for the default.
    package var maximumPixelCount: Int64 = 0

    let spelling: Spelling

    package init(spelling: Spelling) {
        self.spelling = spelling
    }

    var pictureLimit: PictureLimit { PictureLimit(maximumPixelCount, spelling) }

    func check() throws(NaluError) {
        try pictureLimit.check()
        let isNone = frameDuration.value == 0 && frameDuration.timescale == 0 && frameDuration.flags == []
        guard isNone || (frameDuration.isNumeric && frameDuration.value > 0) else {
            throw NaluError(
                .invalidTime,
                "\(spelling.frameDuration) is \(TrackClock.text(frameDuration)); expected more than 0, or all zeros")
        }
    }
}
