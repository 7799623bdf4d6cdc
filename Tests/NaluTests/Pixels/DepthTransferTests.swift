import CPixelKernels
import Testing

@testable import Nalu

/// Frames of 10 bits: every value equals the formula exactly, with every kernel, at odd sizes and strides.
@Suite struct DepthTransferTests {
    private static let limits = [NALU_KERNEL_PORTABLE, NALU_KERNEL_AVX2, NALU_KERNEL_AVX512]
    private static let deep: [PixelFormat] = [.x420, .x420FullRange]

    /// Returns a sample of one format in the other, computed in doubles (ITU-T H.273 8.3).
    private static func exact(
        _ value: Int, _ source: PixelFormat, _ destination: PixelFormat, isLuma: Bool
    ) -> Double {
        let unit = Double(1 << (source.bitDepth - 8)), newUnit = Double(1 << (destination.bitDepth - 8))
        let most = Double((1 << source.bitDepth) - 1), newMost = Double((1 << destination.bitDepth) - 1)
        let sample = Double(value)
        let result: Double
        if isLuma {
            let part = source.isFullRange ? sample / most : (sample / unit - 16) / 219
            result = destination.isFullRange ? part * newMost : (16 + part * 219) * newUnit
        } else {
            let part = source.isFullRange ? (sample - 128 * unit) / most : (sample / unit - 128) / 224
            result = 128 * newUnit + part * (destination.isFullRange ? newMost : 224 * newUnit)
        }
        return min(max(result, 0), newMost)
    }

    /// Returns a frame with every value of its depth in every plane.
    private func everyValue(_ format: PixelFormat) throws -> TestFrame {
        let frame = try TestFrame(format, 2048, 3, padding: 6, margin: 64)
        let most = (1 << format.bitDepth) - 1
        frame.fill { plane, byte, row in
            guard format.bytesPerSample == 2 else {
                return UInt8(truncatingIfNeeded: (byte + 77 * row) & most)
            }
            // The unused low bits of a word contain noise.
            let noise = format.sampleShift > 0 ? byte / 2 * 37 & 63 : 0
            let word = ((byte / 2 + 77 * row) & most) << format.sampleShift | noise
            return UInt8(truncatingIfNeeded: byte % 2 == 0 ? word : word >> 8)
        }
        return frame
    }

    private func expectExact(_ source: TestFrame, _ result: TestFrame, _ what: Comment) {
        let (format, newFormat) = (source.view.format, result.view.format)
        var largest = 0.0
        for y in 0..<result.view.height {
            for x in 0..<result.view.width {
                let wanted = Self.exact(source.sample(0, x, y), format, newFormat, isLuma: true)
                largest = max(largest, abs(Double(result.sample(0, x, y)) - wanted))
            }
        }
        for y in 0..<result.view.planeHeight(1) {
            for x in 0..<result.view.planeWidth(1) {
                for component in 0...1 {
                    let wanted = Self.exact(
                        source.chromaSample(component, x, y), format, newFormat, isLuma: false)
                    largest = max(largest, abs(Double(result.chromaSample(component, x, y)) - wanted))
                }
            }
        }
        #expect(largest <= 0.54, what)
        #expect(result.isIntactOutside, what)
    }

    @Test(arguments: [.x420, .x420FullRange, .encoder10, .encoder10FullRange] + destinationFormats)
    func `every value becomes the nearest one`(format: PixelFormat) throws {
        let source = try everyValue(format)
        let deep: [PixelFormat] = [.x420, .x420FullRange, .encoder10, .encoder10FullRange]
        for destination in format.bitDepth > 8 ? deep + destinationFormats : deep {
            for limit in Self.limits {
                let result = try TestFrame(destination, 2048, 3, padding: 10, margin: 64)
                try PixelTransfer(limit: limit).transfer(from: source, to: result)
                expectExact(source, result, "\(format) to \(destination), kernel \(limit)")
            }
        }
    }

    @Test func `8 bits times four are 10, and the way back gives the same`() throws {
        let source = try everyValue(.nv12)
        for form in [PixelFormat.x420, .encoder10] {
            let result = try TestFrame(form, 2048, 3)
            try PixelTransfer().transfer(from: source, to: result)
            for x in 0..<2048 {
                #expect(result.sample(0, x, 1) == 4 * Int(source[0, x, 1]))
                #expect(result.sample(1, x, 1) == 4 * Int(source[1, x, 1]))
            }
            let again = try TestFrame(.nv12, 2048, 3)
            try PixelTransfer().transfer(from: result, to: again)
            #expect(again.bytes == source.bytes)
        }
        // Nalu writes 0 to the unused low bits.
        let result = try TestFrame(.x420, 2048, 3)
        try PixelTransfer().transfer(from: source, to: result)
        #expect(stride(from: 0, to: result.bytes.count, by: 2).allSatisfy { result.bytes[$0] & 63 == 0 })
    }

    @Test func `10 bits are rounded to 8 with halves to even, no brighter and no darker`() throws {
        for limit in Self.limits {
            let source = try everyValue(.x420)
            let result = try TestFrame(.nv12, 2048, 3)
            try PixelTransfer(limit: limit).transfer(from: source, to: result)
            var bias = 0
            for x in 0..<1024 {
                let value = source.sample(0, x, 0)
                let wanted = min((Double(value) / 4).rounded(.toNearestOrEven), 255)
                #expect(Double(result[0, x, 0]) == wanted)
                #expect(Double(result[1, x, 0]) == wanted)
                if value < 1016 { bias += 4 * Int(result[0, x, 0]) - value }
            }
            #expect(bias == 0)
        }
    }

    @Test(arguments: PixelFormat.supported, deep)
    func `the kernels agree at odd sizes and touch nothing else`(
        format: PixelFormat, destination: PixelFormat
    ) throws {
        for width in [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70, 131] {
            for height in [1, 2, 5] {
                let source = try TestFrame(
                    format, width, height, padding: width % 3 * 2, noise: UInt64(width * 8 + height))
                var expected: [UInt8]?
                for limit in Self.limits {
                    let result = try TestFrame(
                        destination, width, height, padding: (width + height) % 4 * 2, margin: 64)
                    try PixelTransfer(limit: limit).transfer(from: source, to: result)
                    let bytes = result.bytes
                    #expect(bytes == expected ?? bytes, "\(format), \(width)x\(height), kernel \(limit)")
                    #expect(result.isIntactOutside, "\(format), \(width)x\(height), kernel \(limit)")
                    expected = bytes
                }
            }
        }
    }

    /// Conversion through 8 bits has an error of half a step of 8 bits, twice if the range changes too.
    @Test(arguments: PixelFormat.supported, deep)
    func `what has 8 bits is within a step of 8 bits`(format: PixelFormat, destination: PixelFormat) throws {
        guard format.bitDepth == 8 else { return }
        let source = try TestFrame(format, 34, 6, noise: 5)
        let exact = ExactConversion(source: source, matrix: .itu709, isFullRange: destination.isFullRange)
        let result = try TestFrame(destination, 34, 6)
        try PixelTransfer().transfer(from: source, to: result)
        let scale = destination.isFullRange ? 1023.0 / 255 : 4
        let middle = destination.isFullRange ? 128 * scale : 512
        for y in 0..<6 {
            for x in 0..<34 {
                #expect(abs(Double(result.sample(0, x, y)) - exact.luma(x, y) * scale) <= 4.4)
                let (cb, _) = exact.chroma(x / 2, y / 2)
                let wanted = (cb - 128) * scale + (destination.isFullRange ? 512 : middle)
                #expect(abs(Double(result.chromaSample(0, x / 2, y / 2)) - min(max(wanted, 0), 1023)) <= 4.4)
            }
        }
    }

    @Test(arguments: PixelFormat.supported, [PixelFormat.nv12, .i420FullRange] + deep)
    func `a flat picture stays flat at any size`(format: PixelFormat, destination: PixelFormat) throws {
        guard format.bitDepth > 8 || destination.bitDepth > 8 else { return }
        for (width, height) in [(33, 17), (11, 5), (7, 60), (200, 3), (66, 34), (2, 2), (130, 67)] {
            let source = try TestFrame(format, 33, 17, padding: 2)
            // Gray in every format: 600 of 1023, or 150 of 255.
            let word = 600 << 6
            source.fill { plane, byte, _ in
                if format.bitDepth > 8 {
                    let value = plane == 0 ? word : 512 << 6
                    return UInt8(truncatingIfNeeded: byte % 2 == 0 ? value : value >> 8)
                }
                let isChroma =
                    plane > 0 || (format == .uyvy && byte % 2 == 0) || (format == .yuyv && byte % 2 == 1)
                return isChroma ? 128 : 150
            }
            let result = try TestFrame(destination, width, height, padding: 4, margin: 64)
            try PixelTransfer().transfer(from: source, to: result)
            let luma = result.sample(0, 0, 0)
            for y in 0..<height {
                for x in 0..<width { #expect(result.sample(0, x, y) == luma) }
            }
            let middle = destination.bitDepth > 8 ? 512 : 128
            for y in 0..<result.view.planeHeight(1) {
                for x in 0..<result.view.planeWidth(1) {
                    #expect(result.chromaSample(0, x, y) == middle && result.chromaSample(1, x, y) == middle)
                }
            }
            #expect(result.isIntactOutside)
            if format == .x420 && destination == .x420 { #expect(luma == 600) }
        }
    }

    /// Doubling a ramp with single steps gives intermediate values, which 8 bits could not represent.
    @Test func `10 bits are scaled in 10 bits`() throws {
        let source = try TestFrame(.x420, 256, 16)
        source.fill { plane, byte, _ in
            let value = (plane == 0 ? 400 + byte / 2 : 512) << 6
            return UInt8(truncatingIfNeeded: byte % 2 == 0 ? value : value >> 8)
        }
        for (width, height) in [(512, 32), (200, 16), (128, 8), (100, 5)] {
            let result = try TestFrame(.x420, width, height)
            try PixelTransfer().transfer(from: source, to: result)
            for x in 2..<(width - 2) {
                let place = (Double(x) + 0.5) * 256 / Double(width) - 0.5
                #expect(abs(Double(result.sample(0, x, height / 2)) - (400 + place)) <= 1.1)
            }
            let levels = Set((0..<width).map { result.sample(0, $0, 0) })
            #expect(levels.count >= min(width, 256) - 2)
        }
    }

    @Test(arguments: deep)
    func `a picture in a larger frame is continued`(format: PixelFormat) throws {
        for destination in [format, .encoder10, .nv12] {
            let source = try TestFrame(format, 5, 3, noise: 3)
            let plain = try TestFrame(destination, 5, 3)
            let padded = try TestFrame(destination, 16, 16, padding: 2, margin: 64)
            try PixelTransfer().transfer(from: source, to: plain)
            try PixelTransfer().transfer(from: source, to: padded, pictureWidth: 5, pictureHeight: 3)
            #expect(padded.sample(0, 15, 15) == plain.sample(0, 4, 2))
            for component in 0...1 {
                #expect(padded.chromaSample(component, 7, 7) == plain.chromaSample(component, 2, 1))
            }
            #expect(padded.isIntactOutside)
        }
    }
}
