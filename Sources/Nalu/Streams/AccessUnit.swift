/// The NAL units of one picture, or of the two fields of a frame, without its times.
struct AccessUnit {
    /// With 4-byte length prefixes, without parameter sets.
    let bytes: [UInt8]
    let format: FormatDescription
    let attachments: SampleAttachments
    /// Where it stands in output order among those since the last that `restartsOrder`.
    let order: Int
    let restartsOrder: Bool
    /// The time that was given with its bytes.
    let time: MediaTime?
}
