internal import Nalu

/// Writes the rows of pictures without what stands between them.
final class PlaneWriter {
    private let output: OutputFile
    private var bytes: [UInt8] = []

    init(_ output: OutputFile) {
        self.output = output
    }

    func add(_ text: String) {
        bytes += Array(text.utf8)
    }

    /// All rows of a plane, or of a picture of one.
    func add(_ image: PixelBuffer, plane: Int) {
        let view = image.view
        let (source, count) = unsafe (view.plane(plane), view.bytesPerRow(plane))
        for row in 0..<image.planeHeight(plane) {
            let start = unsafe UnsafeRawPointer(source.baseAddress) + row * source.stride
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        }
        withExtendedLifetime(image) {}
    }

    /// Of words of 16 bits with the number in the highest 10: every `step`th from `first` on, the number in the lowest.
    func addLowered(_ image: PixelBuffer, plane: Int, first: Int = 0, step: Int = 1) {
        let view = image.view
        let (source, count) = unsafe (view.plane(plane), view.bytesPerRow(plane) / 2)
        for row in 0..<image.planeHeight(plane) {
            let start = unsafe UnsafeRawPointer(source.baseAddress) + row * source.stride
            for index in stride(from: first, to: count, by: step) {
                let word = unsafe start.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self) >> 6
                bytes.append(UInt8(truncatingIfNeeded: word))
                bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            }
        }
        withExtendedLifetime(image) {}
    }

    /// Hands on what was added.
    func flush() throws(Failure) {
        let result: Result<Void, Failure> = unsafe bytes.withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try unsafe output.write(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        bytes.removeAll(keepingCapacity: true)
    }
}
