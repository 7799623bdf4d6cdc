internal import ArgumentParser

/// Bits a second as people write it: "2M", "2.5m", "800k", "800000".
struct BitRate {
    let bitsPerSecond: Int64

    static func read(_ argument: String) throws -> BitRate {
        guard let rate = BitRate(argument) else {
            throw ValidationError("expected 1 or more bits a second, such as 2M, 800k or 800000")
        }
        return rate
    }

    private init?(_ argument: String) {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        let factor = argument.last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? argument[...] : argument.dropLast()) else { return nil }
        let bits = (number * (factor ?? 1)).rounded()
        // 0 is the encoder's choice, which nobody asks for by a bit rate.
        guard bits >= 1, bits <= 1e15 else { return nil }
        bitsPerSecond = Int64(bits)
    }
}
