/// A parser of a parameter set that can also list its syntax elements.
protocol ListingParser {
    var reader: BitReader { get set }

    /// Creates a parser that has only checked the NAL unit header.
    init(opening unit: UnsafeRawBufferPointer) throws(NaluError)

    mutating func readAll() throws(NaluError)
}

extension ListingParser {
    /// Returns every syntax element in order, and the error that ended the list early, if any.
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
