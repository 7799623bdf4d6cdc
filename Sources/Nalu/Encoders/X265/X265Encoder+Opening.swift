internal import CX265

/// The parameter sets of an encoder that is being opened.
extension X265Encoder {
    /// Reads the parameter sets, and raises their level to the one that the bit rate needs. x265 runs in CRF mode, and knows
    /// no rate.
    static func readHeaders(
        _ api: UnsafePointer<x265_api>, _ encoder: OpaquePointer, _ rate: RateSettings
    ) throws(NaluError) -> FormatDescription {
        let level = rate.heldQuality == nil ? H265Limits.level(kilobitsPerSecond: rate.heldKilobits) : 0
        var units: UnsafeMutablePointer<x265_nal>?
        var count: UInt32 = 0
        guard unsafe api.pointee.encoder_headers(encoder, &units, &count) > 0, let units = unsafe units else {
            throw NaluError(.encoderMalfunction, "x265 returned no parameter sets")
        }
        var sets: [[UInt8]] = []
        for index in 0..<Int(count) {
            let unit = unsafe units[index]
            guard unsafe (NAL_UNIT_VPS.rawValue...NAL_UNIT_PPS.rawValue).contains(unit.type), unsafe unit.sizeBytes > 4
            else { continue }
            // The parameter set follows a 4-byte length prefix.
            let set = unsafe [UInt8](UnsafeBufferPointer(start: unit.payload + 4, count: Int(unit.sizeBytes) - 4))
            sets.append(HEVCLevelEditor.raise(set, to: level))
        }
        return try FormatDescription(hevcParameterSets: sets, lengthSize: 4)
    }
}
