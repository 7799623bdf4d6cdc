internal import Nalu

/// Writes the rows of pictures without the padding between them.
final class PlaneWriter {
    private let output: OutputFile
    private var bytes: [UInt8] = []

    init(_ output: OutputFile) {
        self.output = output
    }

    func add(_ text: String) {
        bytes += Array(text.utf8)
    }

    /// Appends all rows of a plane. A picture with one plane has plane 0 only.
    func add(_ image: PixelBuffer, plane: Int) {
        let view = image.view
        let (source, count) = unsafe (view.plane(plane), view.bytesPerRow(plane))
        for row in 0..<image.planeHeight(plane) {
            let start = unsafe UnsafeRawPointer(source.baseAddress) + row * source.stride
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        }
        withExtendedLifetime(image) {}
    }

    /// Appends Y, Cb and Cr one after the other, even if Cb and Cr share a plane. A sample of more than 8 bits becomes
    /// a little-endian word with its bits in the lowest places.
    func addPlanar(_ image: PixelBuffer, bitDepth: Int) {
        guard image.planeCount == 2 else {
            for plane in 0..<image.planeCount { add(image, plane: plane) }
            return
        }
        addComponent(image, plane: 0, first: 0, step: 1, bitDepth)
        addComponent(image, plane: 1, first: 0, step: 2, bitDepth)
        addComponent(image, plane: 1, first: 1, step: 2, bitDepth)
    }

    private func addComponent(_ image: PixelBuffer, plane: Int, first: Int, step: Int, _ bitDepth: Int) {
        let source = unsafe image.view.plane(plane)
        let isDeep = image.format.bitDepth > 8
        for row in 0..<image.planeHeight(plane) {
            let start = unsafe UnsafeRawPointer(source.baseAddress) + row * source.stride
            for index in stride(from: first, to: step * image.planeWidth(plane), by: step) {
                if isDeep {
                    let word = unsafe start.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self) >> (16 - bitDepth)
                    bytes.append(UInt8(truncatingIfNeeded: word))
                    bytes.append(UInt8(truncatingIfNeeded: word >> 8))
                } else {
                    bytes.append(unsafe start.load(fromByteOffset: index, as: UInt8.self))
                }
            }
        }
        withExtendedLifetime(image) {}
    }

    /// Writes the appended rows to the output.
    func flush() throws(Failure) {
        try output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
