import Testing

@testable import Nalu

@Suite struct PixelTransferTests {
    private static let sizes = [(1, 1), (1, 4), (2, 1), (3, 3), (16, 2), (33, 5), (70, 4)]

    @Test(arguments: PixelFormat.supported, destinationFormats)
    func `every conversion is within 1 of the exact arithmetic`(format: PixelFormat, destination: PixelFormat) throws {
        let transfer = PixelTransfer()
        for (width, height) in Self.sizes {
            let source = try TestFrame(format, width, height, padding: 4, noise: UInt64(width + height))
            let before = source.bytes
            let result = try TestFrame(destination, width, height, padding: 6, margin: 64)
            try transfer.transfer(from: source, to: result, matrix: .itu601)
            let exact = ExactConversion(source: source, matrix: .itu601, isFullRange: destination.isFullRange)
            #expect(exact.largestError(of: result) <= 0.53, "\(width)x\(height)")
            #expect(result.isIntactOutside, "\(width)x\(height)")
            #expect(source.bytes == before && source.isIntactOutside, "\(width)x\(height)")
        }
    }

    @Test(arguments: [(PixelFormat.nv12, PixelFormat.i420FullRange), (.nv12FullRange, .i420), (.uyvy, .nv12FullRange)])
    func `all 256 values change range exactly`(format: PixelFormat, destination: PixelFormat) throws {
        let source = try TestFrame(format, 512, 2)
        source.fill { plane, at, _ in UInt8(truncatingIfNeeded: format == .uyvy ? at / 4 : plane == 0 ? at : at / 2) }
        let result = try TestFrame(destination, 512, 2)
        try PixelTransfer().transfer(from: source, to: result, matrix: .itu709)
        let exact = ExactConversion(source: source, matrix: .itu709, isFullRange: destination.isFullRange)
        #expect(exact.largestError(of: result) <= 0.51)
    }

    @Test func `a frame of the same kind is copied`() throws {
        for format in destinationFormats {
            let source = try TestFrame(format, 31, 17, padding: 2, noise: 9)
            let result = try TestFrame(format, 31, 17)
            try PixelTransfer().transfer(from: source, to: result, matrix: .itu709)
            #expect(result.bytes == source.bytes)
        }
    }

    @Test(arguments: [PixelFormat.bgra, .rgb24, .uyvy, .gray8, .nv12, .i420FullRange], destinationFormats)
    func `an odd picture in an even frame repeats its last column and row`(
        format: PixelFormat, destination: PixelFormat
    ) throws {
        for (width, height) in [(7, 5), (1, 1), (33, 2), (4, 3)] {
            let source = try TestFrame(format, width, height, noise: 5)
            let plain = try TestFrame(destination, width, height)
            let (evenWidth, evenHeight) = (width + width % 2, height + height % 2)
            let padded = try TestFrame(destination, evenWidth, evenHeight, padding: 3, margin: 64)
            let transfer = PixelTransfer()
            try transfer.transfer(from: source, to: plain, matrix: .itu709)
            try transfer.transfer(
                from: source, to: padded, pictureWidth: width, pictureHeight: height, matrix: .itu709)
            for y in 0..<evenHeight {
                for x in 0..<evenWidth {
                    #expect(padded[0, x, y] == plain[0, min(x, width - 1), min(y, height - 1)])
                }
            }
            for plane in 1..<destination.planeCount {
                for y in 0..<padded.view.planeHeight(plane) {
                    for x in 0..<padded.view.bytesPerRow(plane) { #expect(padded[plane, x, y] == plain[plane, x, y]) }
                }
            }
            #expect(padded.isIntactOutside)
        }
    }

    @Test func `a frame much larger than the picture is filled in all planes`() throws {
        for destination in destinationFormats {
            let source = try TestFrame(.bgra, 5, 3, noise: 6)
            let plain = try TestFrame(destination, 5, 3)
            let padded = try TestFrame(destination, 16, 16, margin: 64)
            try PixelTransfer().transfer(from: source, to: plain, matrix: .itu709)
            try PixelTransfer().transfer(
                from: source, to: padded, pictureWidth: 5, pictureHeight: 3, matrix: .itu709)
            #expect(padded[0, 15, 15] == plain[0, 4, 2])
            for component in 0...1 { #expect(padded.chroma(component, 7, 7) == plain.chroma(component, 2, 1)) }
            #expect(padded.isIntactOutside)
        }
    }

    @Test func `other destinations and pictures that do not fit are refused`() throws {
        let frame = try TestFrame(.bgra, 8, 8)
        let result = try TestFrame(.nv12, 8, 8)
        let sentence =
            "destination has the format 'BGRA'; frames are converted to '420v', '420f', 'y420', 'f420', "
            + "'x420' and 'xf20' only"
        #expect(throws: NaluError(.pixelTransferNotSupported, sentence)) {
            try PixelTransfer().transfer(from: frame, to: frame, matrix: .itu709)
        }
        #expect(
            throws: NaluError(
                .invalidSize, "the picture width is 9 pixels; expected 1 to 8, the size of the destination")
        ) {
            try PixelTransfer().transfer(
                from: frame, to: result, pictureWidth: 9, pictureHeight: 8, matrix: .itu709)
        }
        #expect(
            throws: NaluError(
                .invalidSize, "the picture height is 0 pixels; expected 1 to 8, the size of the destination")
        ) {
            try PixelTransfer().transfer(
                from: frame, to: result, pictureWidth: 8, pictureHeight: 0, matrix: .itu709)
        }
    }
}
