public import CNalu
public import NaluBase
private import Synchronization

/// Turns samples back into pictures: see `nalu/media/decompression_session.h`, whose promises it keeps.
public final class DecompressionSession: Sendable {
    private let core: DecoderCore
    private let clientReferences = Atomic<Int>(1)

    /// - Parameters:
    ///   - format: a `nalu_format_description`; retained.
    ///   - onFinish: runs once, after the last call of the handler.
    ///   - handler: receives each accepted sample exactly once.
    public init(
        format: OpaquePointer?, settings: DecoderSettings, onFinish: (@Sendable () -> Void)?,
        handler: @escaping DecodeHandler
    ) throws(NaluError) {
        guard let format = unsafe FormatObject(retaining: format) else {
            throw NaluError(
                .invalidHandle, "format is no \(settings.face.formatDescription); expected one that is alive")
        }
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

    /// Hands in the next `nalu_sample` in decode order.
    ///
    /// - Returns: ``DecodeInfoFlags/asynchronous`` when the sample's call is still to come.
    @discardableResult
    public func decode(
        _ sample: OpaquePointer?, flags: DecodeFlags = [], refcon: UnsafeMutableRawPointer? = nil
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

    /// Whether samples of this `nalu_format_description` can be given to the session.
    public func canAccept(_ format: OpaquePointer?) -> Bool {
        unsafe core.canAccept(format)
    }

    /// What images of a `nalu_format_description` are without conversion; nil for what no session decodes.
    package static func imageFormat(of format: OpaquePointer?) -> nalu_pixel_format? {
        guard let format = unsafe FormatObject(retaining: format), let info = format.sequenceInfo,
            (try? VideoDecoder.checkFitness(of: format, PictureLimit(.max, .c))) != nil
        else { return nil }
        let layout = PictureLayout(info)
        if layout.isRGB { return NALU_PIXEL_FORMAT_BGRA }
        return ImageFormat(layout, isFullRange: info.video_full_range == 1)?.code
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
public struct DecodedFrame {
    public let status: nalu_status
    public let flags: DecodeInfoFlags
    /// A `nalu_pixel_buffer` that lives as long as the call of the handler.
    public let image: OpaquePointer?
    public let frameRefcon: UnsafeMutableRawPointer?
    public let presentationTime: nalu_time
    public let duration: nalu_time
}

public typealias DecodeHandler = @Sendable (DecodedFrame) -> Void
