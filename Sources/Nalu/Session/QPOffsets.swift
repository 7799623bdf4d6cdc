/// A map of QP offsets, which make areas of a picture finer or coarser: a grid of cells, stretched over the picture.
public struct QPOffsets: Sendable {
    /// The range of an offset: the difference of any two QPs.
    static let range: ClosedRange<Float> = -51...51

    /// The most values of a map: the pixels of the largest picture, that of H.264 level 6.2.
    package static let mostValues = H264Level.maxMacroblocks * 256

    /// The number of cells side by side, 1 to the session's width.
    public let columns: Int
    /// The number of cells one below the other, 1 to the session's height.
    public let rows: Int
    /// The offsets in QP steps, -51 (finer) to 51 (coarser), row by row from the top left; `columns` x `rows` numbers.
    public let values: [Float]

    public init(columns: Int, rows: Int, values: [Float]) {
        self.columns = columns
        self.rows = rows
        self.values = values
    }

    /// Returns one offset for each macroblock of 16x16 pixels: the mean of the cells that it covers, weighted by area.
    /// Throws for an invalid map.
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

    /// Returns for each run of 16 pixels the cells that it touches, and the fraction of the run in each cell.
    private static func shares(cells: Int, length: Int) -> [[(cell: Int, part: Float)]] {
        stride(from: 0, to: length, by: 16).map { start in
            let end = min(start + 16, length)
            // Lengths are in pixels times `cells`. A cell is then `length` long, and nothing is rounded.
            let first = start * cells / length
            let last = (end * cells - 1) / length
            return (first...last).map { cell in
                let overlap = min(end * cells, (cell + 1) * length) - max(start * cells, cell * length)
                return (cell, Float(overlap) / Float((end - start) * cells))
            }
        }
    }
}
