private import NaluLibc

extension MultiPassStorage {
    /// Divides the bits of a clip among its parts, so that one quality holds for all of them: each part gets the bits that
    /// it takes at one quantiser for the whole clip, after the statistics of the first passes.
    ///
    /// - Parameters:
    ///   - totalBits: 1 to 2^62.
    ///   - parts: the storage of each part, after its first pass.
    /// - Returns: a value for ``PropertyKey/averageBitRate`` for each part. Rate times duration adds up to `totalBits`, apart
    ///   from rounding and from parts that would get less than 1000 bits per second.
    /// - Throws: ``Status/outOfRange``, ``Status/valueNotAvailable`` if a storage has nothing of a first pass,
    ///   ``Status/multiPassStorageInvalid``.
    public static func bitRates(dividing totalBits: UInt64, among parts: [MultiPassStorage]) throws(NaluError) -> [Int]
    {
        guard 1...(1 << 62) ~= totalBits else {
            throw NaluError(.outOfRange, "total_bits is \(totalBits); expected 1 to \(UInt64(1) << 62)")
        }
        var all: [(seconds: Double, content: PassStatistics)] = []
        for (index, part) in parts.enumerated() {
            do throws(NaluError) {
                all.append(try part.statistics())
            } catch {
                throw NaluError(error.status, "part \(index): \(error.message)")
            }
        }
        return bitRates(dividing: Double(totalBits), among: all)
    }

    static func bitRates(dividing total: Double, among all: [(seconds: Double, content: PassStatistics)]) -> [Int] {
        var least = 1e-6
        var most = 1e9
        // Halved so often, the two differ by less than a double can say.
        for _ in 0..<100 {
            let middle = (least * most).squareRoot()
            if all.reduce(0, { $0 + $1.content.bits(at: middle) }) > total { least = middle } else { most = middle }
        }
        let needs = all.map { $0.content.bits(at: most) }
        // What content cannot take at the finest quantiser, or needs at the coarsest, is shared as the rest is.
        let stretch = total / max(needs.reduce(0, +), 1)
        return zip(needs, all).map { need, part in
            Int(min(max((need * stretch / max(part.seconds, 1e-6)).rounded(), 1000), 2e9))
        }
    }
}
