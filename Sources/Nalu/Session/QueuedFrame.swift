/// What is remembered of an accepted frame until it has come back.
///
/// `@unchecked Sendable`: the refcon is the client's own pointer, which Nalu hands back and never follows.
@safe
struct FrameRecord: @unchecked Sendable {
    let number: UInt64
    let presentationTime: MediaTime
    let duration: MediaTime
    let refcon: UnsafeMutableRawPointer?
    let handler: OutputHandler
    /// Those that its sample keeps.
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
    /// The buffer is the session's own and is used again.
    let isStaging: Bool
    let forceKeyFrame: Bool
    let baseQP: Int?
    /// One for each macroblock; nil: none.
    let qpOffsets: [Float]?
    let live: LiveSettings
    /// nil: nothing was lost, acknowledged or asked for.
    let recovery: RecoveryRequest?
}

/// The DataRateLimits and the VBV properties with which a frame was handed in. Frames between two changes have the same
/// `since`, which is the number of the first of them.
struct FrameLimits: Hashable, Sendable {
    var limits = DataRateLimits()
    var vbvMaxBitRate = 0
    var vbvBufferDuration = 0.0
    var since: UInt64 = 0

    /// Those of the next frame.
    mutating func follow(_ settings: RateSettings, number: UInt64) {
        let next = FrameLimits(
            limits: settings.limits, vbvMaxBitRate: settings.vbvMaxBitRate,
            vbvBufferDuration: settings.vbvBufferDuration,
            since: since)
        guard next != self else { return }
        self = next
        since = number
    }

    /// The settings with these limits in the place of their own; nil where they are the same, or there are none.
    func settings(from now: RateSettings) -> RateSettings? {
        let isOtherBucket = vbvMaxBitRate != now.vbvMaxBitRate || vbvBufferDuration != now.vbvBufferDuration
        guard isOtherBucket || limits != now.limits && !limits.isEmpty else { return nil }
        var settings = now
        if !limits.isEmpty { settings.limits = limits }
        settings.vbvMaxBitRate = vbvMaxBitRate
        settings.vbvBufferDuration = vbvBufferDuration
        return settings
    }
}
