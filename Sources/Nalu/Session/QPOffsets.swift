/// A map of the picture that says where it is to be finer or coarser: a grid of cells, stretched over the picture.
public struct QPOffsets: Sendable {
    /// An offset is no larger than all QPs there are.
    static let range: ClosedRange<Float> = -51...51

    /// No picture has more pixels: the macroblocks of H.264 level 6.2.
    package static let mostValues = H264Level.maxMacroblocks * 256

    /// Cells side by side, 1 to the session's width.
    public let columns: Int
    /// Cells one below the other, 1 to the session's height.
    public let rows: Int
    /// QP steps, -51 (finer) to 51 (coarser), row by row from the top left; `columns` x `rows` of them.
    public let values: [Float]

    public init(columns: Int, rows: Int, values: [Float]) {
        self.columns = columns
        self.rows = rows
        self.values = values
    }

    /// One offset for each macroblock of 16x16 pixels: the mean of the cells that it covers, by the area it covers of
    /// each. Throws for what is no map.
    func spread(width: Int, height: Int) throws(NaluError) -> [Float] {
        guard (1...width).contains(columns), (1...height).contains(rows) else {
            throw NaluError(
                .outOfRange,
                "the QP offsets have \(columns) columns and \(rows) rows; expected 1 to \(width) and 1 to \(height)")
        }
        guard values.count == columns * rows else {
            throw NaluError(
                .parameter, "there are \(values.count) QP offsets; expected \(columns) x \(rows) = \(columns * rows)")
        }
        for (index, value) in values.enumerated() where !Self.range.contains(value) {
            throw NaluError(
                .outOfRange,
                "QP offset \(index % columns), \(index / columns) is \(value); expected -51.0 to 51.0")
        }
        let across = Self.shares(cells: columns, length: width)
        let down = Self.shares(cells: rows, length: height)
        var result: [Float] = []
        result.reserveCapacity(across.count * down.count)
        for row in down {
            for column in across {
                var sum: Float = 0
                for (y, partDown) in row {
                    for (x, partAcross) in column { sum += values[y * columns + x] * partAcross * partDown }
                }
                result.append(sum)
            }
        }
        return result
    }

    /// For each run of 16 pixels, which cells it touches and how much of it each of them is.
    private static func shares(cells: Int, length: Int) -> [[(cell: Int, part: Float)]] {
        stride(from: 0, to: length, by: 16).map { start in
            let end = min(start + 16, length)
            // In pixels times cells, where a cell is `length` long, so that nothing is rounded.
            let first = start * cells / length
            let last = (end * cells - 1) / length
            return (first...last).map { cell in
                let overlap = min(end * cells, (cell + 1) * length) - max(start * cells, cell * length)
                return (cell, Float(overlap) / Float((end - start) * cells))
            }
        }
    }
}
