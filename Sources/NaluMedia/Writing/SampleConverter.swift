internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Converts samples to a container's form: Annex B or length-prefixed, with the parameter sets where these change.
final class SampleConverter {
    private let container: OutputFormat
    private let format: FormatDescription
    private let options: WriterOptions
    /// The format description of the last written sample.
    private var current: FormatDescription
    /// Whether parameter sets are among the samples. After the first change they precede every sample at which decoding
    /// can begin.
    private(set) var hasParameterSetsInBand: Bool
    private var scratch: [UInt8] = []
    /// The number of used bytes in ``scratch``.
    private var used = 0

    init(_ container: OutputFormat, _ format: FormatDescription, _ options: WriterOptions) {
        self.container = container
        self.format = format
        self.options = options
        current = format
        hasParameterSetsInBand = options.parameterSetsInBand
    }

    /// Forgets the last sample's parameter sets, after which those of the next sample are written again unless the
    /// header has them.
    func restate() { current = format }

    /// Throws if the track cannot continue with this sample.
    func check(_ sample: Sample) throws(NaluError) {
        let other = sample.formatDescription
        guard other !== current, format != other else { return }
        guard other.codec == format.codec else {
            throw NaluError(
                .unsupportedDataFormat,
                "the sample is \(other.codecName), and the track \(format.codecName); expected samples of one codec"
            )
        }
        if container.allowsOtherPictures { return }
        guard container == .matroska || !options.isFragmented || options.parameterSetsInBand else {
            throw NaluError(
                .unsupportedDataFormat,
                "the sample's parameter sets differ from the track's, and the index of the fragmented \(container) has already been written; expected \(options.spelling.parameterSetsInBand), or another container"
            )
        }
        try container.checkPictures(from: format, to: other)
    }

    /// Calls `body` with the bytes of a sample, and with the codec configuration that begins with it if the container
    /// can store one there.
    func withBytes(
        of sample: Sample,
        _ body: (_ bytes: Span<UInt8>, _ configuration: [UInt8]?) throws(NaluError) -> Void
    ) throws(NaluError) {
        var changes = false
        if sample.formatDescription != current {
            changes = true
            current = sample.formatDescription
            if !container.isByteStream && container != .flv { hasParameterSetsInBand = true }
        }
        if container.isByteStream {
            try annexB(sample, changes ? .always : .atKeyFrames)
            let bytes = scratch
            return try body(bytes.span.extracting(first: used), nil)
        }
        if container != .flv, hasParameterSetsInBand || current !== format {
            let isRecoveryPoint = sample.attachments.contains(.partialSync)
            let sets = changes || isRecoveryPoint || format.isRandomAccess(sample)
            if hasParameterSetsInBand && sets || current.lengthSize != format.lengthSize {
                try lengthPrefixed(sample, sets: sets)
                let bytes = scratch
                return try body(bytes.span.extracting(first: used), nil)
            }
        }
        let configuration = changes ? current.record(isComplete: false) : nil
        try sample.withBytes { (bytes) throws(NaluError) in try body(bytes, configuration) }
    }

    private func annexB(_ sample: Sample, _ parameterSets: Sample.ParameterSets) throws(NaluError) {
        let size = sample.annexBSize(parameterSets: parameterSets)
        if size > scratch.count { scratch = [UInt8](repeating: 0, count: size + size / 2 + 1024) }
        used = unsafe scratch.withUnsafeMutableBytes { bytes in
            unsafe (try? sample.writeAnnexB(parameterSets: parameterSets, into: bytes)) ?? 0
        }
    }

    /// Converts a sample to the track's length prefixes, with the parameter sets after an access unit delimiter.
    private func lengthPrefixed(_ sample: Sample, sets: Bool) throws(NaluError) {
        scratch.removeAll(keepingCapacity: true)
        var hasSets = !sets
        try sample.forEachUnit { (unit) throws(NaluError) in
            let isDelimiter = format.isHEVC ? unit[0] >> 1 & 63 == 35 : unit[0] & 31 == 9
            if !hasSets && !isDelimiter {
                hasSets = true
                for set in current.parameterSets { try append(set.span) }
            }
            try append(unit)
        }
        used = scratch.count
    }

    private func append(_ unit: Span<UInt8>) throws(NaluError) {
        let lengthSize = format.lengthSize
        guard lengthSize == 4 || unit.count >> (8 * lengthSize) == 0 else {
            throw NaluError(
                .unsupportedDataFormat,
                "a NAL unit has \(unit.count) bytes, which a length of \(lengthSize) bytes cannot express; expected a track whose format has lengths of 4 bytes"
            )
        }
        scratch.append(unit, lengthSize: lengthSize)
    }
}
