package import Nalu
public import NaluBase
private import Synchronization

/// Turns samples back into pictures: see `nalu/media/decompression_session.h`, whose promises it keeps.
public final class DecompressionSession: Sendable {
    private let core: DecoderCore
    private let clientReferences = Atomic<Int>(1)

    /// - Parameters:
    ///   - onFinish: runs once, after the last call of the handler.
    ///   - handler: receives each accepted sample exactly once.
    package init(
        format: FormatDescription, settings: DecoderSettings, onFinish: (@Sendable () -> Void)?,
        handler: @escaping DecodeHandler
    ) throws(NaluError) {
        try settings.check()
        try VideoDecoder.checkFitness(of: format, settings.pictureLimit)
        core = DecoderCore(format, settings: settings, handler: handler, onFinish: onFinish)
    }

    deinit {
        try? core.invalidate(isRelease: true)
    }

    /// A client who counts references has one more.
    package func retainedByClient() {
        clientReferences.wrappingAdd(1, ordering: .relaxed)
    }

    /// Such a client gave one back. The last one ends the session, also while a call in another thread, such as one
    /// from inside the handler, keeps the object for its own duration: deinit would then come too late to wait.
    package func releasedByClient() {
        if clientReferences.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            try? core.invalidate(isRelease: true)
        }
    }

    /// Hands in the next sample in decode order.
    ///
    /// - Returns: ``DecodeInfoFlags/asynchronous`` when the sample's call is still to come.
    @discardableResult
    package func decode(
        _ sample: Sample, flags: DecodeFlags = [], refcon: UnsafeMutableRawPointer? = nil
    ) throws(NaluError) -> DecodeInfoFlags {
        try unsafe core.decode(sample, flags: flags, refcon: refcon)
    }

    /// Has all pictures come that are held back for reordering, and waits for nothing.
    public func finishDelayedFrames() throws(NaluError) {
        try core.finishDelayedFrames()
    }

    /// Finishes delayed frames, and waits until every accepted sample has had its call.
    public func waitForAsynchronousFrames() throws(NaluError) {
        try core.wait()
    }

    /// Whether samples of this format description can be given to the session.
    package func canAccept(_ format: FormatDescription) -> Bool {
        core.canAccept(format)
    }

    /// What images of a format description are without conversion; nil for what no session decodes.
    package static func imageFormat(of format: FormatDescription) -> PixelFormat? {
        guard (try? VideoDecoder.checkFitness(of: format, PictureLimit(.max, .c))) != nil
        else { return nil }
        let layout = PictureLayout(format.sequence)
        if layout.isRGB { return .bgra }
        return ImageFormat(layout, isFullRange: format.sequence.isFullRange)?.code
    }

    /// Ends the session; pending samples come back without a picture.
    public func invalidate() throws(NaluError) {
        try core.invalidate()
    }

    /// The sentence of the last failure that happened while decoding; "" when there was none.
    public var lastError: String { core.lastError }
}

/// A sample that comes back from a session, with its picture or with what became of it.
@safe
package struct DecodedFrame {
    package let status: Status
    package let flags: DecodeInfoFlags
    /// The session does not keep it any longer than the call of the handler.
    package let image: PixelBuffer?
    package let frameRefcon: UnsafeMutableRawPointer?
    package let presentationTime: MediaTime
    package let duration: MediaTime
}

package typealias DecodeHandler = @Sendable (DecodedFrame) -> Void
