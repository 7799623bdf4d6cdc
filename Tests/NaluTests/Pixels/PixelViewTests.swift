import Testing

@testable import Nalu

@Suite struct PixelViewTests {
    /// Returns the error message for planes that need not exist: validation reads only the numbers.
    private func complaint(
        _ format: PixelFormat, _ width: Int, _ height: Int, planes: [Int?], strides: [Int64], sizes: [UInt64]? = nil,
        count: Int? = nil
    ) -> NaluError? {
        let addresses = planes.map { $0.flatMap { UnsafeRawPointer(bitPattern: $0) } }
        do {
            let view = try PixelView.validated(
                format: format, width: width, height: height, planeCount: count ?? planes.count, planes: addresses,
                strides: strides, planeSizes: sizes)
            #expect(view.width == width && view.height == height && view.format == format)
            return nil
        } catch {
            return error
        }
    }

    @Test func `planes that fit exactly are taken`() {
        #expect(
            complaint(.nv12, 641, 361, planes: [4096, 8192], strides: [641, 642], sizes: [641 * 361, 642 * 181]) == nil)
        // The last row needs no padding.
        #expect(complaint(.bgra, 3, 2, planes: [4096], strides: [100], sizes: [112]) == nil)
        #expect(complaint(.bgra, 16384, 16384, planes: [4096], strides: [65536]) == nil)
    }

    @Test func `a short stride is named with its plane`() {
        #expect(
            complaint(.nv12, 640, 360, planes: [1, 1], strides: [640, 100])
                == NaluError(
                    .invalidSize,
                    "strides[1] is 100 bytes; a row of the CbCr plane of a 640x360 '420v' frame needs at least 640"))
        #expect(
            complaint(.bgra, 640, 360, planes: [1], strides: [-2560])
                == NaluError(
                    .invalidSize, "strides[0] is -2560 bytes; a row of a 640x360 'BGRA' frame needs at least 2560"))
        #expect(
            complaint(.i420, 8, 8, planes: [1, 1, 1], strides: [8, 4, 3])?.message.contains("the Cr plane") == true)
        #expect(complaint(.i420, 8, 8, planes: [1, 1, 1], strides: [8, Int64.min, 4])?.status == .invalidSize)
    }

    @Test func `a stride that no arithmetic could follow is refused`() {
        #expect(
            complaint(.gray8, 10, 360, planes: [1], strides: [.max])
                == NaluError(
                    .invalidSize,
                    "strides[0] is 9223372036854775807 bytes; a row of a 10x360 'L008' frame may have at most 5965232"))
    }

    @Test func `a short plane is named with what it needs`() {
        #expect(
            complaint(.nv12, 640, 360, planes: [1, 1], strides: [640, 704], sizes: [640 * 360, 100])
                == NaluError(
                    .invalidSize,
                    "plane_sizes[1] is 100 bytes; the CbCr plane of a 640x360 '420v' frame with strides of 704 needs at "
                        + "least 126656"))
        #expect(complaint(.bgra, 3, 2, planes: [1], strides: [100], sizes: [111])?.status == .invalidSize)
        #expect(complaint(.bgra, 3, 2, planes: [1], strides: [100], sizes: [.max]) == nil)
    }

    @Test(arguments: [(0, 1, "width"), (16385, 1, "width"), (.min, 1, "width"), (1, 0, "height"), (1, .max, "height")])
    func `a size out of range is named`(width: Int, height: Int, name: String) {
        let value = name == "width" ? width : height
        #expect(
            complaint(.bgra, width, height, planes: [1], strides: [.max])
                == NaluError(.invalidSize, "\(name) is \(value) pixels; expected 1 to 16384"))
    }

    @Test func `wrong counts and null pointers are parameter errors`() throws {
        #expect(
            complaint(.nv12, 8, 8, planes: [1, 1, 1], strides: [8, 8, 8])
                == NaluError(.parameter, "plane_count is 3; a '420v' frame has 2 planes"))
        #expect(
            complaint(.bgra, 8, 8, planes: [1], strides: [32], count: 0)
                == NaluError(.parameter, "plane_count is 0; a 'BGRA' frame has 1 plane"))
        #expect(
            complaint(.nv12, 8, 8, planes: [1, nil], strides: [8, 8])
                == NaluError(
                    .parameter,
                    "planes[1] is NULL; expected the address of the first row of the CbCr plane of a '420v' frame")
        )
        #expect(throws: NaluError(.parameter, "planes is NULL; expected 1 addresses")) {
            try PixelView.validated(
                format: .bgra, width: 1, height: 1, planeCount: 1, planes: nil, strides: nil, planeSizes: nil)
        }
        #expect(throws: NaluError(.parameter, "strides is NULL; expected 1 numbers of bytes")) {
            let planes: [UnsafeRawPointer?] = [UnsafeRawPointer(bitPattern: 1)]
            _ = try PixelView.validated(
                format: .bgra, width: 1, height: 1, planeCount: 1, planes: planes, strides: nil, planeSizes: nil)
        }
        #expect(throws: NaluError(.parameter, "there are 0 strides for 1 planes")) {
            try PixelView.validated(
                format: .bgra, width: 1, height: 1, planes: [UnsafeRawBufferPointer(start: nil, count: 0)], strides: [])
        }
    }

    @Test func `an unknown format is named beside the known ones`() {
        let error = complaint(PixelFormat(rawValue: 0x7632_3130), 8, 8, planes: [1], strides: [8])
        #expect(error?.status == .invalidPixelFormat)
        #expect(error?.message.hasPrefix("format is 'v210'; expected one of '420v', '420f', 'y420'") == true)
    }
}
