/// The target of frames: the displayed part of an encoded picture, and the shape of its pixels.
struct PictureTarget: Hashable, Sendable {
    /// The displayed part. It begins and ends at even numbers.
    var shown: PixelRectangle
    /// The size of the client's picture in the encoded one, which has one more column or row if the number is odd.
    var width: Int
    var height: Int
    /// The pixel aspect ratio: the width and height of a pixel in the same unit.
    var pixelWidth = 1
    var pixelHeight = 1
}

/// The part of a frame that is shown, and the part of an encoded picture that it fills.
struct PictureFit: Hashable, Sendable {
    /// The part of the frame. It begins where the frame's format allows.
    var source: PixelRectangle
    /// The part of the encoded picture. It begins and ends at even numbers; everything around it is black.
    var inside: PixelRectangle

    /// Avoids distortion except for the rounding to even numbers. The rounding costs at most one pixel at each side of
    /// the inside, and one column or row of the frame at each side of the source. The frame's pixels are square.
    init(_ mode: ScalingMode, of frame: PixelView, in target: PictureTarget) {
        source = PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height)
        inside = target.shown

        // Both products are at most 2^14 * 2^14 * 2^16. They are equal if the frame has the same shape as the target.
        let across = frame.width * target.shown.height * target.pixelHeight
        let along = frame.height * target.shown.width * target.pixelWidth
        switch mode {
        case .normal:
            inside = PixelRectangle(x: 0, y: 0, width: (target.width + 1) & ~1, height: (target.height + 1) & ~1)
        case .cropSourceToCleanAperture:
            break
        case .letterbox where across > along:
            let bar = Self.side(
                of: target.shown.height, excess: across - along, for: frame.width * target.pixelHeight, unit: 2,
                least: 2)
            inside.y += bar
            inside.height -= 2 * bar
        case .letterbox:
            let bar = Self.side(
                of: target.shown.width, excess: along - across, for: frame.height * target.pixelWidth, unit: 2, least: 2
            )
            inside.x += bar
            inside.width -= 2 * bar
        case .trim where across > along:
            source.x = Self.side(
                of: frame.width, excess: across - along, for: target.shown.height * target.pixelHeight,
                unit: frame.format.columnUnit, least: 1)
            source.width -= 2 * source.x
        case .trim:
            source.y = Self.side(
                of: frame.height, excess: along - across, for: target.shown.width * target.pixelWidth,
                unit: frame.format.rowUnit, least: 1)
            source.height -= 2 * source.y
        }
    }

    /// Returns half of `excess / scale`, rounded to a multiple of `unit`, and small enough that `least` of `length` is
    /// left.
    private static func side(of length: Int, excess: Int, for scale: Int, unit: Int, least: Int) -> Int {
        min((excess + scale * unit) / (2 * scale * unit), (length - least) / (2 * unit)) * unit
    }
}

extension PixelTransfer {
    /// Converts and scales a part of a frame into a part of an encoded picture. Everything around that part stays
    /// unchanged.
    func transfer(
        from source: PixelView, to destination: PixelView, fit: PictureFit, in target: PictureTarget,
        matrix: ColorMatrix
    ) throws(NaluError) {
        try transfer(
            from: source.part(fit.source), to: destination.part(fit.inside),
            pictureWidth: min(fit.inside.right, target.width) - fit.inside.x,
            pictureHeight: min(fit.inside.bottom, target.height) - fit.inside.y, matrix: matrix)
    }
}
