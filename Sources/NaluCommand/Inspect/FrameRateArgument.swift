internal import ArgumentParser

/// A frame rate on the command line: a number, or a fraction of two.
struct FrameRateArgument: ExpressibleByArgument {
    let value: Double

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(parts.count), let first = parts[0], let second = parts.count == 2 ? parts[1] : 1 else {
            return nil
        }
        let value = first / second
        guard StreamRate.plausible.contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { Measure.short(value) }
}
