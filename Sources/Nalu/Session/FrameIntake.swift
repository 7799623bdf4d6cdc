/// Converts the frames of clients to the input of the encoder: its format, size, range and depth.
///
/// `@unchecked Sendable`: one thread at a time uses the converter's scratch memory, the thread with exclusive access to
/// the session's intake.
final class FrameIntake: @unchecked Sendable {
    private let encodedWidth: Int
    private let encodedHeight: Int
    private let transfer = PixelTransfer()
    /// The session's own buffers that are black around a part, each with that part. Black that is already there is not
    /// drawn again.
    private var barred: [(buffer: ObjectIdentifier, inside: PixelRectangle)] = []

    init(encodedWidth: Int, encodedHeight: Int) {
        self.encodedWidth = encodedWidth
        self.encodedHeight = encodedHeight
    }

    /// Returns the buffer to encode, whether it is the session's own, and `spare` if it was not needed.
    func prepare(
        _ source: SessionCore.FrameSource, mode: ScalingMode, target: PictureTarget, setup: EncoderSetup,
        spare: PixelBuffer?
    ) throws(NaluError) -> (buffer: PixelBuffer, isStaging: Bool, unused: PixelBuffer?) {
        let view = source.view
        if case .buffer(let buffer) = source, setup.takes(view.format, width: view.width, height: view.height) {
            return (buffer, false, spare)
        }
        let (width, height) = (target.width, target.height)
        let isInterlaced = setup.geometry.isInterlaced
        let isScaled = view.width != width || view.height != height
        guard !isInterlaced || !isScaled else {
            throw NaluError(
                .invalidSize,
                "the frame is \(view.width)x\(view.height); expected \(width)x\(height), because interlaced "
                    + "frames are not scaled")
        }
        let staging: PixelBuffer
        if let spare {
            staging = spare
        } else {
            staging = try PixelBuffer(
                layout: PixelLayout(checked: setup.inputFormat, width: encodedWidth, height: encodedHeight))
            // A freed buffer may have had the same address.
            forgetBars(of: staging)
        }
        let conversion = setup.configuration.signal.conversion(height: setup.height)
        guard conversion != nil || !view.format.isRGB else {
            let code = setup.configuration.signal.matrix ?? 0
            throw NaluError(
                .conflict,
                "the frame is RGB, which is not converted by YCbCrMatrix \(code); expected one of "
                    + SignalCodes.matrices.names.joined(separator: ", ") + ", 2 or 5")
        }
        // Frames in YCbCr need no matrix.
        let matrix = conversion ?? .itu709
        if isInterlaced {
            for field in 0..<2 {
                try transfer.transfer(
                    from: view.field(field), to: staging.view.field(field), pictureWidth: width,
                    pictureHeight: height / 2, matrix: matrix)
            }
            return (staging, true, nil)
        }
        if isScaled && mode != .normal {
            let fit = PictureFit(mode, of: view, in: target)
            drawBars(in: staging, around: fit.inside)
            try transfer.transfer(from: view, to: staging.view, fit: fit, in: target, matrix: matrix)
            return (staging, true, nil)
        }
        forgetBars(of: staging)
        try transfer.transfer(from: view, to: staging.view, pictureWidth: width, pictureHeight: height, matrix: matrix)
        return (staging, true, nil)
    }

    private func drawBars(in buffer: PixelBuffer, around inside: PixelRectangle) {
        if let index = barred.firstIndex(where: { $0.buffer == ObjectIdentifier(buffer) }) {
            if barred[index].inside == inside { return }
            barred[index].inside = inside
        } else {
            barred.append((ObjectIdentifier(buffer), inside))
        }
        buffer.view.fillBlack(around: inside)
    }

    private func forgetBars(of buffer: PixelBuffer) {
        barred.removeAll { $0.buffer == ObjectIdentifier(buffer) }
    }
}

extension PictureTarget {
    /// The displayed part is that of CleanAperture. The pixel aspect ratio is the stream's, whichever property set it.
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
