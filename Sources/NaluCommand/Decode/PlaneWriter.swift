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
        let (columns, rows) = (image.planeWidth(plane), image.planeHeight(plane))
        let shift = UInt16(16 - bitDepth)
        var place = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: rows * columns * (isDeep ? 2 : 1)))
        unsafe bytes.withUnsafeMutableBufferPointer { target in
            for row in 0..<rows {
                let start = unsafe UnsafeRawPointer(source.baseAddress) + row * source.stride
                let samples = unsafe start.assumingMemoryBound(to: UInt8.self)
                for index in stride(from: first, to: first + step * columns, by: step) {
                    if isDeep {
                        let word = unsafe (UInt16(samples[2 * index]) | UInt16(samples[2 * index + 1]) &<< 8) &>> shift
                        unsafe target[place] = UInt8(truncatingIfNeeded: word)
                        unsafe target[place + 1] = UInt8(truncatingIfNeeded: word &>> 8)
                        place += 2
                    } else {
                        unsafe target[place] = samples[index]
                        place += 1
                    }
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
