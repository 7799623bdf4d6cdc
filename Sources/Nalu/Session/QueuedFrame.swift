/// The data of an accepted frame until the frame is returned.
///
/// `@unchecked Sendable`: the refcon is the client's own pointer, which Nalu returns and never dereferences.
@safe
struct FrameRecord: @unchecked Sendable {
    let number: UInt64
    let presentationTime: MediaTime
    let duration: MediaTime
    let refcon: UnsafeMutableRawPointer?
    let handler: OutputHandler
    /// The limits that the frame's sample keeps.
    let limits: FrameLimits

    func numbered(_ number: UInt64, _ limits: FrameLimits) -> FrameRecord {
        unsafe FrameRecord(
            number: number, presentationTime: presentationTime, duration: duration, refcon: refcon, handler: handler,
            limits: limits)
    }
}

/// An accepted frame on its way to the encoder.
struct QueuedFrame: Sendable {
    let record: FrameRecord
    let buffer: PixelBuffer
    /// Whether the buffer is the session's own, which is reused.
    let isStaging: Bool
    let forceKeyFrame: Bool
    let baseQP: Int?
    /// One offset for each macroblock; nil for none.
    let qpOffsets: [Float]?
    let live: LiveSettings
    /// The frame's requests; nil if nothing was lost, acknowledged or requested.
    let recovery: RecoveryRequest?
}

/// The DataRateLimits and the VBV properties under which a frame was passed. Frames between two changes have the same
/// `since`, the number of the first of them.
struct FrameLimits: Hashable, Sendable {
    var limits = DataRateLimits()
    var vbvMaxBitRate = 0
    var vbvBufferDuration = 0.0
    var since: UInt64 = 0

    /// Changes to the limits of the next frame.
    mutating func follow(_ settings: RateSettings, number: UInt64) {
        let next = FrameLimits(
            limits: settings.limits, vbvMaxBitRate: settings.vbvMaxBitRate,
            vbvBufferDuration: settings.vbvBufferDuration,
            since: since)
        guard next != self else { return }
        self = next
        since = number
    }

    /// Returns the settings with these limits in place of their own; nil if the limits are the same, or there are none.
    func settings(from now: RateSettings) -> RateSettings? {
        let isOtherVBVBuffer = vbvMaxBitRate != now.vbvMaxBitRate || vbvBufferDuration != now.vbvBufferDuration
        guard isOtherVBVBuffer || limits != now.limits && !limits.isEmpty else { return nil }
        var settings = now
        if !limits.isEmpty { settings.limits = limits }
        settings.vbvMaxBitRate = vbvMaxBitRate
        settings.vbvBufferDuration = vbvBufferDuration
        return settings
    }
}
