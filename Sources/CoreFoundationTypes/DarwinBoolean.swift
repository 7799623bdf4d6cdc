/// The type `Boolean` of C, as Swift has it on a Mac. On Linux, Swift imports `Boolean` as `Bool`. Programs for a Mac need
/// this type for functions that store a `Boolean` through a pointer.
@frozen public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Hashable, Sendable {
    public let boolValue: Bool

    public init(_ value: Bool) { boolValue = value }
    public init(booleanLiteral value: Bool) { boolValue = value }
}

extension DarwinBoolean: CustomStringConvertible, CustomReflectable {
    public var description: String { boolValue.description }
    public var customMirror: Mirror { Mirror(reflecting: boolValue) }
}
