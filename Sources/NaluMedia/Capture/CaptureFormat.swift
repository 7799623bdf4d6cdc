public import Nalu

/// A video format of a device: a pixel format, with a range of sizes and of times from picture to picture.
public struct CaptureVideoFormat: Sendable, Hashable {
    /// The format of the pixel buffers without conversion.
    public var pixelFormat: PixelFormat
    /// The possible widths in pixels. A camera usually has one.
    public var widths: ClosedRange<Int>
    /// The possible heights in pixels.
    public var heights: ClosedRange<Int>
    /// The inverse of the highest frame rate; invalid if unknown.
    public var minimumFrameDuration: MediaTime
    /// The inverse of the lowest frame rate; invalid if unknown.
    public var maximumFrameDuration: MediaTime
    /// The matrix of YUV pictures as a code of ITU-T H.273 table 4, for the property `YCbCrMatrix`; nil if the device
    /// states none. Only in the format of a session.
    public var yCbCrMatrix: Int?

    package init(
        _ pixelFormat: PixelFormat, widths: ClosedRange<Int>, heights: ClosedRange<Int>,
        minimumFrameDuration: MediaTime, maximumFrameDuration: MediaTime
    ) {
        self.pixelFormat = pixelFormat
        self.widths = widths
        self.heights = heights
        self.minimumFrameDuration = minimumFrameDuration
        self.maximumFrameDuration = maximumFrameDuration
    }

    /// Creates the format of pictures of one size and rate. `frameDuration` is invalid if the rate varies.
    package init(_ pixelFormat: PixelFormat, width: Int, height: Int, frameDuration: MediaTime) {
        self.init(
            pixelFormat, widths: width...width, heights: height...height, minimumFrameDuration: frameDuration,
            maximumFrameDuration: frameDuration)
    }
}

/// An audio format of a device: interleaved 32-bit floating-point samples.
public struct CaptureAudioFormat: Sendable, Hashable {
    /// The nominal audio frames per second.
    public var sampleRate: Int
    public var channelCount: Int

    /// The most audio frames of one block: 0.1 s.
    var blockLimit: Int { max(1, sampleRate / 10) }

    package init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}
