extension BitReader {
    /// Returns the elements that `read` reads from an H.265 parameter set, and the error that ended the list early, if
    /// any.
    package static func elements(
        of unit: [UInt8], type: HEVCUnitType, unitName: StaticString,
        _ read: (inout BitReader) throws(NaluError) -> Void
    ) -> (elements: [SyntaxElement], error: NaluError?) {
        do throws(NaluError) {
            var reader = unsafe try unit.withBytes { (bytes) throws(NaluError) in
                unsafe try BitReader(hevcUnit: bytes, type: type, unitName: unitName)
            }
            return reader.recorded(read)
        } catch {
            return ([], error)
        }
    }

    /// Returns the elements that `read` reads, and the error that ended the list early, if any.
    package mutating func recorded(
        _ read: (inout BitReader) throws(NaluError) -> Void
    ) -> (elements: [SyntaxElement], error: NaluError?) {
        recordElements()
        do throws(NaluError) {
            try read(&self)
            return (elements ?? [], nil)
        } catch {
            return (elements ?? [], error)
        }
    }
}
