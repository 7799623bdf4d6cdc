/// The type of a box in an mp4 or mov, which has four letters (ISO/IEC 14496-12, 4.2).
struct BoxType: Hashable, ExpressibleByStringLiteral {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    init(stringLiteral text: StaticString) {
        code = text.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The type in error messages. Unprintable letters are dots.
    var name: String {
        String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }
                .map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}

extension BoxType {
    /// Boxes whose children libavformat reads, wherever the boxes are.
    static let containers: Set<BoxType> = [
        "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "mvex", "moof", "traf", "tref", "udta", "wave", "ilst",
        "sinf", "schi", "iprp", "mfra",
    ]

    /// Boxes that begin with a count. libavformat allocates memory for the entries before it reads them.
    static let tables: Set<BoxType> = [
        "trun", "stsz", "stz2", "stts", "ctts", "stsc", "stco", "co64", "stss", "stps", "sgpd", "sbgp", "saiz", "saio",
        "senc", "pssh", "sidx", "tfra", "iloc", "iinf",
    ]

    /// Boxes that libavformat reads entirely into a buffer of their size.
    static let blocks: Set<BoxType> = [
        "avcC", "hvcC", "vvcC", "evcC", "av1C", "glbl", "strf", "dvc1", "SMI ", "wfex", "ACLR", "APRG", "AALP", "ARES",
        "avss", "fiel", "jp2h", "alac", "uuid", "sdtp", "elst", "chap", "dref", "hdlr", "esds", "wave", "ftyp",
    ]

    /// Boxes at the top of a file that must be checked before libavformat reads them.
    static let watched: Set<BoxType> =
        containers.union(tables).union(blocks).union(["meta", "stsd", "cmov", "hoov", "keys", "----"])

    /// Boxes without which a part of a track is missing.
    static let indispensable: Set<BoxType> = containers.union(tables).union(["mdat"])

    /// Boxes that occur at the top of a file. Their types show that a box begins at an offset.
    static let landmarks: Set<BoxType> = watched.union([
        "mdat", "ftyp", "styp", "free", "skip", "wide", "emsg", "prft", "ssix",
    ])
}
