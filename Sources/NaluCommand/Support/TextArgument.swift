internal import ArgumentParser

/// A value that a user writes as one argument, for example a size.
protocol TextArgument {
    /// The form of the argument with an example, for error messages.
    static var expected: String { get }

    /// Nil if the argument has another form.
    init?(_ argument: String)
}

extension TextArgument {
    /// Returns the value of an argument; the transform of options.
    static func read(_ argument: String) throws -> Self {
        guard let value = Self(argument) else { throw ValidationError("expected \(expected)") }
        return value
    }
}
