#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The targets by the names of their files. One program contains them all, because building it takes the most time.
/// NALU_FUZZ_TARGET selects the one that libFuzzer runs.
enum EntryPoint {
    typealias Function = @Sendable (UnsafePointer<UInt8>?, Int) -> Int32

    static let chosen: Function = {
        let name = unsafe getenv("NALU_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        switch name {
        case "AnnexB": return unsafe fuzzAnnexB
        case "BoxGuard": return unsafe fuzzBoxGuard
        case "FormatDescription": return unsafe fuzzFormatDescription
        case "HEVCParameterSet": return unsafe fuzzHEVCParameterSet
        case "LengthPrefixed": return unsafe fuzzLengthPrefixed
        case "LossDetector": return unsafe fuzzLossDetector
        case "MediaTime": return unsafe fuzzMediaTime
        case "ParameterSet": return unsafe fuzzParameterSet
        case "ChunkJoiner": return unsafe fuzzChunkJoiner
        case "ChunkResult": return unsafe fuzzChunkResult
        case "PassData": return unsafe fuzzPassData
        case "PropertyText": return unsafe fuzzPropertyText
        case "SEIMessage": return unsafe fuzzSEIMessage
        case "ServeRequest": return unsafe fuzzServeRequest
        case "SliceHeader": return unsafe fuzzSliceHeader
        case "SliceRewriter": return unsafe fuzzSliceRewriter
        case "StreamParser": return unsafe fuzzStreamParser
        default:
            fatalError(
                "NALU_FUZZ_TARGET is '\(name)', expected the name of a file NAMETarget.swift that is listed here")
        }
    }()
}

@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    unsafe EntryPoint.chosen(data, size)
}
