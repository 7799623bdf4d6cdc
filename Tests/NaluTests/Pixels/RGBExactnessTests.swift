import CPixelKernels
import Testing

@testable import Nalu

/// Every matrix, range and RGB format, compared with the formulas in doubles, over a grid of 33 x 33 x 33 colours.
@Suite struct RGBExactnessTests {
    private static let steps = 33
    /// Returns 0, 8, ... 248, 255.
    private static func level(_ index: Int) -> Double { Double(min(index * 8, 255)) }

    /// Returns a frame with the grid. Each colour fills a block of 2x2, so that its chroma is not mixed with another
    /// colour's.
    private static func grid(_ format: PixelFormat) throws -> TestFrame {
        let frame = try TestFrame(format, 2 * steps * steps, 2 * steps)
        let order: [Int] =
            switch format {
            case .rgba, .rgb24: [0, 1, 2, 3]
            case .argb: [3, 0, 1, 2]
            case .abgr: [3, 2, 1, 0]
            default: [2, 1, 0, 3]
            }
        let size = format.bytesPerPixel
        frame.fill { _, at, y in
            let (column, row) = (at / size / 2, y / 2)
            // Alpha is ignored, so it may have any value.
            return switch order[at % size] {
            case 0: UInt8(min(column / steps * 8, 255))
            case 1: UInt8(min(column % steps * 8, 255))
            case 2: UInt8(min(row * 8, 255))
            default: UInt8(truncatingIfNeeded: at &* 31 &+ y)
            }
        }
        return frame
    }

    @Test(arguments: ColorMatrix.allCases, [false, true])
    func `RGB is converted to the nearest value`(matrix: ColorMatrix, isFullRange: Bool) throws {
        let format: PixelFormat = isFullRange ? .nv12FullRange : .nv12
        let result = try TestFrame(format, 2 * Self.steps * Self.steps, 2 * Self.steps)
        try PixelTransfer().transfer(from: try Self.grid(.bgra), to: result, matrix: matrix)

        let (luma, chroma) = (result.view.plane(0), result.view.plane(1))
        var largest = 0.0
        var unevenBlocks = 0
        for row in 0..<Self.steps {
            for column in 0..<(Self.steps * Self.steps) {
                let exact = ExactConversion.colour(
                    Self.level(column / Self.steps), Self.level(column % Self.steps), Self.level(row), matrix)
                let block = luma.baseAddress + 2 * row * luma.stride + 2 * column
                let top = block.loadUnaligned(as: UInt16.self)
                if top != (block + luma.stride).loadUnaligned(as: UInt16.self) || top >> 8 != top & 255 {
                    unevenBlocks += 1
                }
                let pair = (chroma.baseAddress + row * chroma.stride + 2 * column).loadUnaligned(as: UInt16.self)
                let errors = (
                    Double(top & 255) - ExactConversion.luma(exact.0, isFullRange: isFullRange),
                    Double(pair & 255) - ExactConversion.chroma(exact.1, isFullRange: isFullRange),
                    Double(pair >> 8) - ExactConversion.chroma(exact.2, isFullRange: isFullRange)
                )
                largest = max(largest, abs(errors.0), abs(errors.1), abs(errors.2))
            }
        }
        withExtendedLifetime(result) {}
        #expect(unevenBlocks == 0)
        #expect(largest <= 0.52, "half a step is rounding; the rest is what the integer weights cost")
    }

    @Test(arguments: [PixelFormat.rgba, .argb, .abgr, .rgb24, .bgr24])
    func `the order of the bytes makes no difference`(format: PixelFormat) throws {
        let (reference, frame) = (try Self.grid(.bgra), try Self.grid(format))
        for limit in [NALU_KERNEL_PORTABLE, NALU_KERNEL_AVX2, NALU_KERNEL_AVX512] {
            let transfer = PixelTransfer(limit: limit)
            for (matrix, destination) in [(ColorMatrix.itu709, PixelFormat.nv12), (.itu601, .i420FullRange)] {
                let expected = try TestFrame(destination, frame.view.width, frame.view.height)
                let result = try TestFrame(destination, frame.view.width, frame.view.height)
                try PixelTransfer().transfer(from: reference, to: expected, matrix: matrix)
                try transfer.transfer(from: frame, to: result, matrix: matrix)
                #expect(result.bytes == expected.bytes)
            }
        }
    }

    @Test func `grays are gray, black and white are the ends of the range`() throws {
        for matrix in ColorMatrix.allCases {
            for (format, black, white) in [(PixelFormat.i420, UInt8(16), UInt8(235)), (.i420FullRange, 0, 255)] {
                let source = try TestFrame(.bgra, 256, 2)
                source.fill { _, at, _ in UInt8(at / 4) }
                let result = try TestFrame(format, 256, 2)
                try PixelTransfer().transfer(from: source, to: result, matrix: matrix)
                #expect(result[0, 0, 0] == black && result[0, 255, 1] == white)
                #expect((0..<128).allSatisfy { result[1, $0, 0] == 128 && result[2, $0, 0] == 128 })
            }
        }
    }
}
