/// Makes what clients hand in into what the encoder takes: 4:2:0 of the encoder's size, range and depth.
///
/// `@unchecked Sendable`: the converter's scratch memory is used by one thread at a time, the one that the session let
/// into its intake.
final class FrameIntake: @unchecked Sendable {
    private let encodedWidth: Int
    private let encodedHeight: Int
    private let transfer = PixelTransfer()

    init(encodedWidth: Int, encodedHeight: Int) {
        self.encodedWidth = encodedWidth
        self.encodedHeight = encodedHeight
    }

    /// Gives the buffer to encode, whether it is the session's own, and `spare` back where it was not needed.
    func prepare(
        _ source: SessionCore.FrameSource, sessionWidth: Int, sessionHeight: Int, setup: EncoderSetup,
        spare: PixelBuffer?
    ) throws(NaluError) -> (buffer: PixelBuffer, isStaging: Bool, unused: PixelBuffer?) {
        let view = source.view
        if case .buffer(let buffer) = source, view.width == encodedWidth, view.height == encodedHeight,
            view.format.is420, view.format.isFullRange == setup.isFullRange, view.format.bitDepth == 8,
            setup.bitDepth == 8
        {
            return (buffer, false, spare)
        }
        let isInterlaced = setup.geometry.isInterlaced
        guard !isInterlaced || (view.width == sessionWidth && view.height == sessionHeight) else {
            throw NaluError(
                .invalidSize,
                "the frame is \(view.width)x\(view.height); expected \(sessionWidth)x\(sessionHeight), because interlaced "
                    + "frames are not scaled")
        }
        let format: PixelFormat =
            setup.bitDepth > 8
            ? (setup.isFullRange ? .encoder10FullRange : .encoder10) : (setup.isFullRange ? .nv12FullRange : .nv12)
        let staging: PixelBuffer
        if let spare {
            staging = spare
        } else {
            staging = try PixelBuffer(
                layout: PixelLayout(checked: format, width: encodedWidth, height: encodedHeight))
        }
        let matrix = setup.configuration.yCbCrMatrix ?? .automatic(height: setup.height)
        if isInterlaced {
            for field in 0..<2 {
                try transfer.transfer(
                    from: view.field(field), to: staging.view.field(field), pictureWidth: sessionWidth,
                    pictureHeight: sessionHeight / 2, matrix: matrix)
            }
            return (staging, true, nil)
        }
        try transfer.transfer(
            from: view, to: staging.view, pictureWidth: sessionWidth, pictureHeight: sessionHeight, matrix: matrix)
        return (staging, true, nil)
    }
}
