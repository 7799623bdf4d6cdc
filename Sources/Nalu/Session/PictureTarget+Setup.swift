extension PictureTarget {
    /// What is shown is CleanAperture's; the shape of the pixels is what the stream says, by whichever property.
    init(_ setup: EncoderSetup, _ format: FormatDescription) throws(NaluError) {
        let geometry = setup.geometry
        var shown = PixelRectangle(x: 0, y: 0, width: geometry.encodedWidth, height: geometry.encodedHeight)
        if let cropping = try setup.configuration.picture.cleanAperture?.cropping(of: geometry) {
            shown.x = cropping.left
            shown.y = cropping.top
            shown.width -= cropping.left + cropping.right
            shown.height -= cropping.top + cropping.bottom
        }
        self.init(shown: shown, width: geometry.width, height: geometry.height)
        let sequence = format.sequence
        if sequence.pixelAspectRatioHorizontal > 0 && sequence.pixelAspectRatioVertical > 0 {
            pixelWidth = sequence.pixelAspectRatioHorizontal
            pixelHeight = sequence.pixelAspectRatioVertical
        }
    }
}
