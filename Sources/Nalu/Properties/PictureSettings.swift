/// What the stream says of its pictures, except their colour.
struct PictureSettings: Hashable, Sendable {
    var cleanAperture: CleanAperture?
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLightLevel?
    /// nil: automatic.
    var hdrMetadataInsertion: HDRMetadataInsertionMode?
    var fieldCount: Int?
    var fieldDetail: FieldDetail?
}
