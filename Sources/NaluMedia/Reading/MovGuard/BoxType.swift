/// The four letters of a box of an mp4 or mov (ISO/IEC 14496-12, 4.2).
struct BoxType: Hashable, ExpressibleByStringLiteral {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    init(stringLiteral text: StaticString) {
        code = text.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// For a sentence: letters that cannot be printed are dots.
    var name: String {
        String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }
                .map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}

extension BoxType {
    /// Boxes within which libavformat looks for boxes, wherever they are.
    static let containers: Set<BoxType> = [
        "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "mvex", "moof", "traf", "tref", "udta", "wave", "ilst",
        "sinf", "schi", "iprp", "mfra",
    ]

    /// Boxes that begin with a count, for which libavformat makes room before it reads the entries.
    static let tables: Set<BoxType> = [
        "trun", "stsz", "stz2", "stts", "ctts", "stsc", "stco", "co64", "stss", "stps", "sgpd", "sbgp", "saiz", "saio",
        "senc", "pssh", "sidx", "tfra", "iloc", "iinf",
    ]

    /// Boxes that libavformat takes as a whole, into a buffer of their size.
    static let blocks: Set<BoxType> = [
        "avcC", "hvcC", "vvcC", "evcC", "av1C", "glbl", "strf", "dvc1", "SMI ", "wfex", "ACLR", "APRG", "AALP", "ARES",
        "avss", "fiel", "jp2h", "alac", "uuid", "sdtp", "elst", "chap", "dref", "hdlr", "esds", "wave", "ftyp",
    ]

    /// Boxes at the top of a file that must be looked at before libavformat sees them.
    static let watched: Set<BoxType> =
        containers.union(tables).union(blocks).union(["meta", "stsd", "cmov", "hoov", "keys", "----"])

    /// Boxes without which something of a track is missing.
    static let indispensable: Set<BoxType> = containers.union(tables).union(["mdat"])

    /// Boxes that are known at the top of a file, by which a place there is recognised.
    static let landmarks: Set<BoxType> = watched.union([
        "mdat", "ftyp", "styp", "free", "skip", "wide", "emsg", "prft", "ssix",
    ])
}
