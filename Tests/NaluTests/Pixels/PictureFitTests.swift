import Testing

@testable import Nalu

/// The placement of frames of another size, compared with its definition in doubles; and the resulting pixels.
@Suite struct PictureFitTests {
    private static let sizes = [
        (16, 16), (1920, 1080), (1080, 1920), (640, 480), (641, 361), (1280, 534), (176, 144), (17, 333), (4096, 16),
        (16, 4096), (100, 99), (98, 100), (1366, 768), (720, 576), (16384, 16),
    ]
    private static let frames = sizes + [(1, 1), (1, 16384), (16384, 1), (3, 2), (2, 3), (1279, 719), (16384, 16384)]
    private static let shapes = [(1, 1), (16, 11), (10, 11), (65535, 1), (1, 65535), (65535, 65534)]

    /// Returns a view whose pixels are never read.
    private func frame(_ format: PixelFormat, _ width: Int, _ height: Int) throws -> PixelView {
        let some = UnsafeMutableRawPointer(bitPattern: 64)!
        let plane = PixelPlane(some, 65536)
        return PixelView(unchecked: format, width: width, height: height, plane, plane, plane)
    }

    private func target(_ width: Int, _ height: Int, _ shape: (Int, Int)) -> PictureTarget {
        let shown = PixelRectangle(x: 0, y: 0, width: (width + 1) & ~1, height: (height + 1) & ~1)
        return PictureTarget(
            shown: shown, width: width, height: height, pixelWidth: shape.0, pixelHeight: shape.1)
    }

    @Test func aLetterboxedFrameIsUndistortedAndInTheMiddle() throws {
        for (width, height) in Self.sizes {
            for (frameWidth, frameHeight) in Self.frames {
                for shape in Self.shapes {
                    let target = target(width, height, shape)
                    let (shown, view) = (target.shown, try frame(.bgra, frameWidth, frameHeight))
                    let fit = PictureFit(.letterbox, of: view, in: target)
                    let what: Comment = "\(frameWidth)x\(frameHeight) in \(width)x\(height), \(shape): \(fit.inside)"
                    #expect(fit.source == PixelRectangle(x: 0, y: 0, width: frameWidth, height: frameHeight), what)
                    #expect(fit.inside.x % 2 == 0 && fit.inside.y % 2 == 0, what)
                    #expect(fit.inside.x * 2 + fit.inside.width == shown.width, what)
                    #expect(fit.inside.y * 2 + fit.inside.height == shown.height, what)
                    #expect(fit.inside.x == 0 || fit.inside.y == 0, what)
                    #expect(fit.inside.width >= 2 && fit.inside.height >= 2, what)
                    let aspect = Double(frameWidth) / Double(frameHeight) / (Double(shape.0) / Double(shape.1))
                    let ideal = (
                        min(Double(shown.width), Double(shown.height) * aspect),
                        min(Double(shown.height), Double(shown.width) / aspect)
                    )
                    // Bars are rounded to two pixels, so each side is off by at most one. The picture is never empty.
                    #expect(abs(Double(fit.inside.width) - max(ideal.0, 2)) <= 2.0001, what)
                    #expect(abs(Double(fit.inside.height) - max(ideal.1, 2)) <= 2.0001, what)
                }
            }
        }
    }

    @Test func aTrimmedFrameIsUndistortedAndLosesItsSides() throws {
        for format in [PixelFormat.bgra, .gray8, .nv12, .i420, .uyvy, .x420] {
            for (width, height) in Self.sizes {
                for (frameWidth, frameHeight) in Self.frames {
                    for shape in Self.shapes {
                        let target = target(width, height, shape)
                        let fit = PictureFit(.trim, of: try frame(format, frameWidth, frameHeight), in: target)
                        let what: Comment =
                            "\(format) \(frameWidth)x\(frameHeight) in \(width)x\(height), \(shape): \(fit.source)"
                        #expect(fit.inside == target.shown, what)
                        #expect(fit.source.x * 2 + fit.source.width == frameWidth, what)
                        #expect(fit.source.y * 2 + fit.source.height == frameHeight, what)
                        #expect(fit.source.x == 0 || fit.source.y == 0, what)
                        #expect(fit.source.x % format.columnUnit == 0 && fit.source.y % format.rowUnit == 0, what)
                        #expect(fit.source.width >= 1 && fit.source.height >= 1, what)
                        let aspect =
                            Double(target.shown.width) / Double(target.shown.height)
                            * (Double(shape.0) / Double(shape.1))
                        let ideal = (
                            min(Double(frameWidth), Double(frameHeight) * aspect),
                            min(Double(frameHeight), Double(frameWidth) / aspect)
                        )
                        // The minimum that is left if both sides lose as many units as possible.
                        let units = (format.columnUnit, format.rowUnit)
                        let least = (
                            Double((frameWidth - 1) % (2 * units.0) + 1), Double((frameHeight - 1) % (2 * units.1) + 1)
                        )
                        #expect(
                            abs(Double(fit.source.width) - max(ideal.0, least.0)) <= Double(units.0) + 0.0001, what)
                        #expect(
                            abs(Double(fit.source.height) - max(ideal.1, least.1)) <= Double(units.1) + 0.0001, what)
                    }
                }
            }
        }
    }

    @Test func knownPlaces() throws {
        func inside(_ mode: ScalingMode, _ width: Int, _ height: Int, _ target: PictureTarget) throws -> [Int] {
            let fit = PictureFit(mode, of: try frame(.nv12, width, height), in: target)
            return [fit.inside.x, fit.inside.y, fit.inside.width, fit.inside.height]
        }
        func source(_ width: Int, _ height: Int, _ target: PictureTarget) throws -> [Int] {
            let fit = PictureFit(.trim, of: try frame(.nv12, width, height), in: target)
            return [fit.source.x, fit.source.y, fit.source.width, fit.source.height]
        }
        let hd = target(1920, 1080, (1, 1))
        #expect(try inside(.letterbox, 640, 480, hd) == [240, 0, 1440, 1080])
        #expect(try inside(.letterbox, 1280, 544, hd) == [0, 132, 1920, 816])
        #expect(try inside(.letterbox, 1280, 720, hd) == [0, 0, 1920, 1080])
        #expect(try inside(.letterbox, 1080, 1920, hd) == [656, 0, 608, 1080])
        #expect(try source(640, 480, hd) == [0, 60, 640, 360])
        #expect(try source(1080, 1920, hd) == [0, 656, 1080, 608])
        #expect(try source(1280, 720, hd) == [0, 0, 1280, 720])
        // 16:9 with square pixels fills 704 of the 720 columns of a picture with 16:11 pixels.
        #expect(try inside(.letterbox, 1280, 720, target(720, 576, (16, 11))) == [8, 0, 704, 576])
        #expect(try inside(.letterbox, 640, 480, target(720, 576, (12, 11))) == [8, 0, 704, 576])
        // A difference of less than one row on each side makes no bars. The padding row of an odd picture lies in the
        // bar.
        #expect(try inside(.letterbox, 640, 361, target(640, 362, (1, 1))) == [0, 0, 640, 362])
        #expect(try inside(.letterbox, 640, 360, target(640, 362, (1, 1))) == [0, 2, 640, 358])
        #expect(try inside(.letterbox, 200, 100, target(101, 101, (1, 1))) == [0, 26, 102, 50])
        #expect(try inside(.normal, 200, 100, target(101, 101, (1, 1))) == [0, 0, 102, 102])
        // The picture has an aperture.
        var part = target(640, 480, (1, 1))
        part.shown = PixelRectangle(x: 16, y: 60, width: 608, height: 360)
        #expect(try inside(.letterbox, 1280, 360, part) == [16, 154, 608, 172])
        #expect(try inside(.trim, 1280, 360, part) == [16, 60, 608, 360])
        #expect(try inside(.cropSourceToCleanAperture, 1280, 360, part) == [16, 60, 608, 360])
        #expect(try inside(.normal, 1280, 360, part) == [0, 0, 640, 480])
    }

    /// A part of a frame converts like a frame with these pixels.
    @Test func aPartHasItsPixels() throws {
        for format in PixelFormat.supported {
            for (width, height) in [(12, 10), (13, 11)] {
                let all = try TestFrame(format, width, height, padding: 4, noise: 7)
                let (x, y) = (2 * format.columnUnit, 3 * format.rowUnit)
                let part = all.view.part(PixelRectangle(x: x, y: y, width: width - x - 1, height: height - y - 1))
                let whole = try TestFrame(.nv12FullRange, width, height)
                let result = try TestFrame(.nv12FullRange, part.width, part.height)
                try PixelTransfer().transfer(from: all, to: whole)
                try PixelTransfer().transfer(from: part, to: result.view, matrix: .itu709)
                for row in 0..<part.height {
                    for column in 0..<part.width {
                        #expect(result[0, column, row] == whole[0, column + x, row + y], "\(format)")
                    }
                }
                // Only chroma blocks that lie entirely in the part are equal.
                guard x.isMultiple(of: 2) && y.isMultiple(of: 2) else { continue }
                for row in 0..<(part.height / 2) {
                    for column in 0..<(part.width / 2) {
                        for component in 0...1 {
                            #expect(
                                result.chroma(component, column, row)
                                    == whole.chroma(component, column + x / 2, row + y / 2), "\(format)")
                        }
                    }
                }
            }
        }
    }

    /// For each format and each encoder format: the inside equals the separately scaled frame, the outside is black,
    /// and nothing else is written.
    @Test func theInsideIsTheFrameAndTheRestIsBlack() throws {
        let sizes = [(40, 20, 32, 32), (20, 40, 33, 31), (64, 10, 18, 40), (7, 9, 48, 16), (31, 17, 32, 32)]
        for format in PixelFormat.supported {
            for destination in destinationFormats + [.encoder10, .encoder10FullRange] {
                for (width, height, pictureWidth, pictureHeight) in sizes {
                    let target = target(pictureWidth, pictureHeight, (1, 1))
                    let source = try TestFrame(format, width, height, padding: 6, noise: 3)
                    let result = try TestFrame(
                        destination, target.shown.width, target.shown.height, padding: 2, margin: 64)
                    let fit = PictureFit(.letterbox, of: source.view, in: target)
                    try withExtendedLifetime((source, result)) {
                        result.view.fillBlack(around: fit.inside)
                        try PixelTransfer().transfer(
                            from: source.view, to: result.view, fit: fit, in: target, matrix: .itu709)
                    }
                    let alone = try TestFrame(destination, fit.inside.width, fit.inside.height)
                    try PixelTransfer().transfer(
                        from: source, to: alone, pictureWidth: min(fit.inside.right, pictureWidth) - fit.inside.x,
                        pictureHeight: min(fit.inside.bottom, pictureHeight) - fit.inside.y)
                    let what: Comment =
                        "\(format) \(width)x\(height) to \(destination) \(pictureWidth)x\(pictureHeight)"
                    #expect(isFramed(alone, in: result, at: fit.inside), what)
                    #expect(result.isIntactOutside, what)
                }
            }
        }
    }

    private func isFramed(_ inside: TestFrame, in all: TestFrame, at place: PixelRectangle) -> Bool {
        let scale = all.view.format.bitDepth == 10 ? 4 : 1
        let black = (all.view.format.isFullRange ? 0 : 16) * scale
        for y in 0..<all.view.height {
            for x in 0..<all.view.width {
                let isInside = (place.x..<place.right).contains(x) && (place.y..<place.bottom).contains(y)
                let luma = isInside ? inside.sample(0, x - place.x, y - place.y) : black
                if all.sample(0, x, y) != luma { return false }
                for component in 0...1 {
                    let (column, row) = ((x - place.x) / 2, (y - place.y) / 2)
                    let chroma = isInside ? inside.chromaSample(component, column, row) : 128 * scale
                    if all.chromaSample(component, x / 2, y / 2) != chroma { return false }
                }
            }
        }
        return true
    }
}
