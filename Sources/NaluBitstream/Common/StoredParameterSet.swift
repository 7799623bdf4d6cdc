/// The bytes of a parameter set and its parsed content. The object is shared, because the content is too large to copy
/// for each slice.
package final class StoredParameterSet<Content: Hashable & Sendable>: Sendable {
    package let bytes: [UInt8]
    package let content: Content

    package init(bytes: [UInt8], content: Content) {
        self.bytes = bytes
        self.content = content
    }

    package func hasSameContent(as other: StoredParameterSet) -> Bool {
        self === other || content == other.content
    }
}
