internal import Nalu

/// Names for the numbers of the standards.
enum StandardNames {
    /// Returns the profile's name (Annex A).
    static func profile(_ set: SequenceParameterSet) -> String {
        func has(_ flag: Int) -> Bool { set.constraintFlags & (0x80 >> flag) != 0 }
        switch set.profileIDC {
        case 66: return has(1) ? "Constrained Baseline" : "Baseline"
        case 77: return "Main"
        case 88: return "Extended"
        case 100: return has(4) ? (has(5) ? "Constrained High" : "Progressive High") : "High"
        case 110: return has(3) ? "High 10 Intra" : "High 10"
        case 122: return has(3) ? "High 4:2:2 Intra" : "High 4:2:2"
        case 244: return has(3) ? "High 4:4:4 Intra" : "High 4:4:4 Predictive"
        case 44: return "CAVLC 4:4:4 Intra"
        default: return "profile \(set.profileIDC)"
        }
    }

    /// Returns the level, for example "3.1" or "1b".
    static func level(_ set: SequenceParameterSet) -> String {
        if set.levelIDC == 9 { return "1b" }
        return set.levelIDC % 10 == 0 ? "\(set.levelIDC / 10)" : "\(set.levelIDC / 10).\(set.levelIDC % 10)"
    }

    static func chroma(_ set: SequenceParameterSet) -> String {
        ["monochrome", "4:2:0", "4:2:2", "4:4:4"][min(3, max(0, set.chromaFormatIDC))]
    }

    /// Returns the names of primaries, transfer and matrix, or one name if all three agree; nil if the stream states
    /// none.
    static func color(_ set: SequenceParameterSet) -> String? {
        let numbers = [set.colorPrimaries, set.transferCharacteristics, set.matrixCoefficients]
        guard numbers.contains(where: { $0 != 2 }) else { return nil }
        let names = [
            primaries[set.colorPrimaries], transfers[set.transferCharacteristics], matrices[set.matrixCoefficients],
        ]
        let texts = zip(names, numbers).map { $0 ?? "\($1)" }
        return Set(texts).count == 1 ? texts[0] : texts.joined(separator: " / ")
    }

    /// The names of colour primaries (table E-3). Transfer (E-4) and matrix (E-5) follow.
    static let primaries = [
        1: "BT.709", 2: "unspecified", 4: "BT.470 M", 5: "BT.601 (625)", 6: "BT.601", 7: "SMPTE 240M", 8: "film",
        9: "BT.2020", 10: "XYZ", 11: "DCI P3", 12: "P3 D65", 22: "EBU 3213",
    ]
    static let transfers = [
        1: "BT.709", 2: "unspecified", 4: "gamma 2.2", 5: "gamma 2.8", 6: "BT.601", 7: "SMPTE 240M", 8: "linear",
        9: "log 100", 10: "log 316", 11: "xvYCC", 12: "BT.1361", 13: "sRGB", 14: "BT.2020", 15: "BT.2020", 16: "PQ",
        17: "SMPTE 428", 18: "HLG",
    ]
    static let matrices = [
        0: "RGB", 1: "BT.709", 2: "unspecified", 4: "FCC", 5: "BT.601 (625)", 6: "BT.601", 7: "SMPTE 240M", 8: "YCgCo",
        9: "BT.2020", 10: "BT.2020 constant luminance", 14: "ICtCp",
    ]

    /// Returns the name of a NAL unit type (table 7-1).
    static func unit(_ type: NALUnitType) -> String {
        let names = [
            "unspecified", "slice", "slice partition A", "slice partition B", "slice partition C", "IDR slice", "SEI",
            "SPS", "PPS", "access unit delimiter", "end of sequence", "end of stream", "filler", "SPS extension",
            "prefix", "subset SPS", "depth parameter set", "reserved", "reserved", "auxiliary slice",
            "slice extension", "depth slice extension",
        ]
        let number = Int(type.rawValue)
        return number < names.count ? names[number] : number < 24 ? "reserved" : "unspecified"
    }

    /// Returns the codecs parameter of MP4 and MIME types (RFC 6381), for example "avc1.64001f".
    static func codec(_ unit: [UInt8]) -> String {
        "avc1."
            + unit.dropFirst().prefix(3).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
