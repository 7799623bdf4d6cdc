/// What a picture is, by its slices.
enum PictureKind: String, CaseIterable {
    case idr = "IDR"
    /// All slices intra, but no IDR picture.
    case i = "I"
    case p = "P"
    case b = "B"
    /// No slice header could be read.
    case unknown = "?"
}
