/// What a picture is, by its slices.
enum PictureKind: String, CaseIterable {
    case idr = "IDR"
    /// Clean random access, in H.265.
    case cra = "CRA"
    /// Broken link access, in H.265.
    case bla = "BLA"
    /// All slices intra, but no picture of those kinds.
    case i = "I"
    case p = "P"
    case b = "B"
    /// No slice header could be read.
    case unknown = "?"

    /// Whether decoding can begin there, whatever follows.
    var isRandomAccess: Bool { self == .idr || self == .cra || self == .bla }
}
