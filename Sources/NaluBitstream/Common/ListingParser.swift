/// A parser of a parameter set that can list what it reads.
protocol ListingParser {
    var reader: BitReader { get set }

    /// Checks the unit's header only.
    init(opening unit: UnsafeRawBufferPointer) throws(NaluError)

    mutating func readAll() throws(NaluError)
}

extension ListingParser {
    /// Every syntax element in order, and what is wrong where they stop early.
    static func elements(of unit: UnsafeRawBufferPointer) -> (elements: [SyntaxElement], error: NaluError?) {
        do throws(NaluError) {
            var parser = try unsafe Self(opening: unit)
            parser.reader.recordElements()
            do throws(NaluError) {
                try parser.readAll()
                return (parser.reader.elements ?? [], nil)
            } catch {
                return (parser.reader.elements ?? [], error)
            }
        } catch {
            return ([], error)
        }
    }
}
