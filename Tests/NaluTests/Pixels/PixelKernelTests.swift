import CPixelKernels
import Testing

@testable import Nalu

/// The vector kernels write the same bytes as the portable ones, and nothing else.
@Suite struct PixelKernelTests {
    private static let limits = [NALU_KERNEL_PORTABLE, NALU_KERNEL_AVX2, NALU_KERNEL_AVX512]

    private func expectEqualBytes(
        _ format: PixelFormat, to destination: PixelFormat, width: Int, height: Int
    ) throws {
        let source = try TestFrame(format, width, height, padding: width % 5, noise: UInt64(width * 8 + height))
        var expected: [UInt8]?
        for limit in Self.limits {
            let result = try TestFrame(destination, width, height, padding: (width + height) % 7, margin: 64)
            try PixelTransfer(limit: limit).transfer(from: source, to: result, matrix: .itu709)
            let bytes = result.bytes
            #expect(bytes == expected ?? bytes, "\(format) to \(destination), \(width)x\(height), kernel \(limit)")
            #expect(result.isIntactOutside, "\(format) to \(destination), \(width)x\(height), kernel \(limit)")
            expected = bytes
        }
    }

    @Test(arguments: [PixelFormat.bgra, .bgr24], [PixelFormat.nv12, .i420FullRange])
    func `RGB kernels agree at every width`(format: PixelFormat, destination: PixelFormat) throws {
        for width in 1...70 {
            for height in 1...5 where height < 4 || width % 9 == 0 {
                try expectEqualBytes(format, to: destination, width: width, height: height)
            }
        }
        for width in [95, 96, 97, 127, 128, 129, 130, 191, 192, 193] {
            try expectEqualBytes(format, to: destination, width: width, height: 3)
        }
    }

    @Test(arguments: [PixelFormat.uyvy, .yuyv, .gray8, .nv12, .i420FullRange], destinationFormats)
    func `the other kernels agree`(format: PixelFormat, destination: PixelFormat) throws {
        for width in [1, 2, 3, 15, 16, 17, 31, 33, 64, 70, 131] {
            for height in [1, 2, 5] {
                try expectEqualBytes(format, to: destination, width: width, height: height)
            }
        }
    }

    @Test func `a limit gives at most its level`() {
        for limit in Self.limits {
            #expect(nalu_kernel_level(Int32(limit)) <= Int32(limit))
        }
    }
}
