private import Nalu

/// Writes NAL units after start codes or length prefixes.
final class UnitWriter {
    private let output: BufferedOutput
    private let framing: StreamFraming
    private let inputName: String

    /// The largest NAL unit in bytes, 256 MiB: larger than any real picture. A longer unit has a corrupt length.
    static let maximumUnitSize = 1 << 28

    init(to output: BufferedOutput, framing: StreamFraming, inputName: String) {
        self.output = output
        self.framing = framing
        self.inputName = inputName
    }

    /// Writes a NAL unit. A unit that the end of the stream cuts off is left out.
    func write(_ unit: ScannedUnit) throws {
        if unit.isCutOff { return }
        guard unit.size == unit.head.count else {
            throw damaged(
                unit,
                "has \(unit.size) bytes, more than a NAL unit can have; set the size of the length prefixes with --length-size"
            )
        }
        switch framing {
        case .annexB:
            try checkStartCodes(unit)
            try output.write([0, 0, 0, 1] as [UInt8])
        case .lengthPrefixed(let size):
            guard unit.size < 1 << (8 * size) else {
                throw damaged(
                    unit, "has \(unit.size) bytes, too many for a length prefix of \(size); use --to-length-size 4")
            }
            for index in (0..<size).reversed() {
                try output.write(CollectionOfOne(UInt8(truncatingIfNeeded: unit.size >> (8 * index))))
            }
        }
        try output.write(unit.head)
    }

    func finish() throws {
        try output.flush()
    }

    /// Throws if a NAL unit contains a start code: a reader of the Annex B stream would end the unit there.
    private func checkStartCodes(_ unit: ScannedUnit) throws(Failure) {
        let place = unsafe unit.head.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe StartCodeScanner.nextStartCode($0, from: 0, count: bytes.count) }
        }
        guard let place, place < unit.head.count else { return }
        throw damaged(
            unit,
            "contains a start code, which a NAL unit cannot; set the size of the length prefixes with --length-size")
    }

    private func damaged(_ unit: ScannedUnit, _ what: String) -> Failure {
        Failure("the NAL unit at byte \(unit.offset) of \(inputName) \(what)")
    }
}
