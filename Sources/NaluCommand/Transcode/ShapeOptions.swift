internal import ArgumentParser

/// The options that crop and scale pictures.
struct ShapeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Scale the pictures to this size, even numbers of pixels. The pixel aspect ratio keeps their shape.",
            valueName: "WxH"), transform: FrameSize.read)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp(
            "Use only this part of the pictures: its size, and its distance from the left and the top, before rotation.",
            valueName: "WxH+X+Y"), transform: CropRectangle.read)
    var crop: CropRectangle?

    func validate() throws {
        if let size {
            let range = 16...16384
            guard range.contains(size.width), range.contains(size.height) else {
                throw ValidationError("--size is \(size.text); expected a width and a height from 16 to 16384")
            }
            guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2) else {
                let even = "\(size.width + size.width % 2)x\(size.height + size.height % 2)"
                throw ValidationError(
                    "--size is \(size.text); 4:2:0 needs an even width and an even height, such as \(even)")
            }
        }
        if let crop, size == nil, min(crop.width, crop.height) < 16 {
            throw ValidationError(
                "--crop is \(crop.text); expected a width and a height of at least 16, or --size with them")
        }
        guard let crop, size == nil, !crop.width.isMultiple(of: 2) || !crop.height.isMultiple(of: 2) else { return }
        throw ValidationError(
            "--crop is \(crop.text); 4:2:0 needs an even width and an even height, or --size with one")
    }

    var shape: PictureShape { PictureShape(size: size, crop: crop) }
}

/// A part of a picture as people write it, "640x360+16+8": width x height + left + top.
struct CropRectangle: TextArgument {
    static let expected = "width, height, and the distance from the left and the top in pixels, such as 640x360+16+8"

    let width: Int
    let height: Int
    let left: Int
    let top: Int

    init?(_ argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = FrameSize(String(parts[0])), let left = Int(parts[1]),
            let top = Int(parts[2]), left >= 0, top >= 0
        else { return nil }
        (width, height, self.left, self.top) = (size.width, size.height, left, top)
    }

    var text: String { "\(width)x\(height)+\(left)+\(top)" }

    /// Returns true if the rectangle lies inside a picture of this size. No sum can overflow.
    func fits(width: Int, height: Int) -> Bool {
        self.width <= width && left <= width - self.width && self.height <= height && top <= height - self.height
    }
}
