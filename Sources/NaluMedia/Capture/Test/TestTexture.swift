internal import Nalu
internal import NaluLibc

/// A plane of a repeating pattern, from which each row of a picture is copied.
struct TestTexture {
    private let rows: Int
    private let rowBytes: Int
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - rows: the period of the pattern downwards.
    ///   - period: the period to the right, in bytes.
    ///   - width: the bytes of the longest copied row.
    ///   - value: the byte at a column and a row.
    init(rows: Int, period: Int, width: Int, value: (_ column: Int, _ row: Int) -> UInt8) {
        self.rows = rows
        rowBytes = width + period
        let pattern = (0..<rows).map { row in (0..<period).map { value($0, row) } }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows * rowBytes)
        for row in pattern {
            for column in 0..<rowBytes { bytes.append(row[column % period]) }
        }
        self.bytes = bytes
    }

    /// Copies the pattern to a plane.
    ///
    /// - Parameters:
    ///   - column: the first copied byte of each row, less than the period.
    ///   - row: the first copied row.
    func copy(to plane: PixelPlane, width: Int, height: Int, column: Int, row: Int) {
        unsafe bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for y in 0..<height {
                let start = (row + y) % rows * rowBytes + column
                unsafe plane.baseAddress.advanced(by: y * plane.stride).copyMemory(from: base + start, byteCount: width)
            }
        }
    }
}
