package import Nalu

/// Produces the pictures or audio of one device for a session. The session owns threads, pools, dropping and counting.
///
/// A source is used for one start of a session. The session calls ``run(_:)`` once, on a thread that it makes for the
/// source, and releases the source afterwards.
package protocol CaptureSource: Sendable {
    /// Opens the device, calls ``CaptureSink/begin(video:audio:)``, delivers pictures and audio until the sink is
    /// stopped, and closes the device.
    ///
    /// Every wait must end when the sink's ``CaptureSink/stopDescriptor`` becomes readable. Returns when the sink is
    /// stopped. Throws if the device cannot be opened or continue: `.couldNotCreateInstance` for a missing library,
    /// `.inputOutput` for a device that is missing or gone.
    func run(_ sink: CaptureSink) throws(NaluError)
}

/// Creates the source of a session. Throws if the device cannot deliver what the request demands.
package typealias CaptureSourceMaker = @Sendable (CaptureRequest) throws(NaluError) -> any CaptureSource

/// The settings that a session requests from a source. All numbers are within the ranges of ``CaptureSession/Options``.
package struct CaptureRequest: Sendable {
    /// Whether the session captures pictures from this source.
    package var wantsVideo = false
    /// Whether the session captures audio from this source.
    package var wantsAudio = false
    /// The size that the client chose; nil for the device's size. The sink scales pictures of other sizes.
    package var size: (width: Int, height: Int)?
    /// The pixel format that the client chose. The sink converts pictures of other formats.
    package var pixelFormat: PixelFormat?
    /// The time from picture to picture; nil for the device's default, 1/30 s if it has several.
    package var frameDuration: MediaTime?
    /// The part of a screen; nil for the entire screen.
    package var region: PixelRegion?
    /// Whether to draw the pointer of a screen.
    package var showsCursor = false
    /// The permission to capture a screen: nil to ask each time, "" to ask and remember, or the token of an earlier start.
    package var restoreToken: String?
    /// The audio frames per second.
    package var sampleRate = 48_000
    /// The number of channels, 1 to 8; nil for the device's channels, at most 2.
    package var channelCount: Int?

    package init() {}
}
