/// What a codec's profiles and levels hold, for the checks that a session makes before its encoder is opened.
protocol CodecLimits: Sendable {
    /// The session's size. Throws `.invalidSize`.
    func check(width: Int, height: Int) throws(NaluError)
    /// What the properties say of pictures of that geometry. Throws `.outOfRange` and `.conflict`.
    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError)
    /// A rate that changes while the encoder runs. Throws `.conflict`.
    func checkRate(_ configuration: SessionConfiguration) throws(NaluError)
}
