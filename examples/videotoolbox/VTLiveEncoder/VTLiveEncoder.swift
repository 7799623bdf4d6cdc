// Encodes raw pictures as they arrive, and writes H.264 with start codes, for a pipe or a socket.
//
//     VTLiveEncoder WIDTH HEIGHT FRAMES_PER_SECOND BITS_PER_SECOND <IN.nv12 >OUT.h264
//
// It compiles on a Mac as well.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import VideoToolbox

struct Failure: Error, CustomStringConvertible {
    let what: String
    let status: OSStatus
    var description: String { "\(what): status \(status)" }
}

func check(_ status: OSStatus, _ what: String) throws {
    if status != noErr { throw Failure(what: what, status: status) }
}

/// The NAL units of a sample buffer with start codes. The parameter sets of its format description precede a key frame.
func annexB(_ sample: CMSampleBuffer) throws -> Data {
    let startCode = Data([0, 0, 0, 1])
    var stream = Data()
    let isKeyFrame = sample.sampleAttachments[0][.notSync] as? Bool != true
    if isKeyFrame, let format = sample.formatDescription {
        for set in format.parameterSets { stream += startCode + set }
    }
    let bytes = try sample.dataBuffer?.dataBytes() ?? Data()
    var rest = bytes[...]
    while rest.count > 4 {
        let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        stream += startCode + rest.dropFirst(4).prefix(length)
        rest = rest.dropFirst(4 + length)
    }
    return stream
}

func makeSession(width: Int32, height: Int32, rate: Int, bitsPerSecond: Int) throws -> VTCompressionSession {
    var created: VTCompressionSession?
    try check(
        VTCompressionSessionCreate(
            allocator: nil, width: width, height: height, codecType: kCMVideoCodecType_H264, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil, outputCallback: nil, refcon: nil,
            compressionSessionOut: &created), "VTCompressionSessionCreate")
    guard let session = created else { throw Failure(what: "VTCompressionSessionCreate", status: -1) }
    let limits: [NSNumber] = [NSNumber(value: bitsPerSecond / 8 * 3 / 2), 1]
    let settings: [(CFString, AnyObject)] = [
        (kVTCompressionPropertyKey_RealTime, kCFBooleanTrue),
        (kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse),
        (kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Main_AutoLevel),
        (kVTCompressionPropertyKey_AverageBitRate, NSNumber(value: bitsPerSecond)),
        (kVTCompressionPropertyKey_DataRateLimits, NSArray(array: limits)),
        (kVTCompressionPropertyKey_ExpectedFrameRate, NSNumber(value: rate)),
        (kVTCompressionPropertyKey_MaxKeyFrameInterval, NSNumber(value: rate * 2)),
    ]
    for (key, value) in settings {
        try check(VTSessionSetProperty(session, key: key, value: value), "\(key)")
    }
    try check(VTCompressionSessionPrepareToEncodeFrames(session), "VTCompressionSessionPrepareToEncodeFrames")
    return session
}

/// Fills a buffer row by row, since rows of buffers are longer than those of files.
func read(into buffer: CVPixelBuffer) throws -> Bool {
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    for plane in 0..<CVPixelBufferGetPlaneCount(buffer) {
        guard var row = CVPixelBufferGetBaseAddressOfPlane(buffer, plane) else { return false }
        let length = CVPixelBufferGetWidthOfPlane(buffer, plane) * (plane + 1)
        for _ in 0..<CVPixelBufferGetHeightOfPlane(buffer, plane) {
            guard let bytes = try FileHandle.standardInput.read(upToCount: length), bytes.count == length else {
                return false
            }
            bytes.copyBytes(to: row.assumingMemoryBound(to: UInt8.self), count: length)
            row += CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
        }
    }
    return true
}

/// Writes a sample. The session's thread calls this function, in decode order.
func write(_ status: OSStatus, _ sample: CMSampleBuffer?) {
    do {
        try check(status, "a frame failed")
        if let sample { try FileHandle.standardOutput.write(contentsOf: annexB(sample)) }
    } catch {
        fail(error)
    }
}

func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("VTLiveEncoder: \(error)\n".utf8))
    exit(1)
}

func encodeAll(_ session: VTCompressionSession, rate: Int32) throws {
    guard let pool = VTCompressionSessionGetPixelBufferPool(session) else { return }
    for frame in 0... {
        var created: CVPixelBuffer?
        try check(CVPixelBufferPoolCreatePixelBuffer(nil, pool, &created), "CVPixelBufferPoolCreatePixelBuffer")
        guard let buffer = created, try read(into: buffer) else { break }
        let status = VTCompressionSessionEncodeFrame(
            session, imageBuffer: buffer, presentationTimeStamp: CMTime(value: CMTimeValue(frame), timescale: rate),
            duration: CMTime(value: 1, timescale: rate), frameProperties: nil, infoFlagsOut: nil
        ) { status, _, sample in write(status, sample) }
        try check(status, "VTCompressionSessionEncodeFrame")
    }
    try check(
        VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid),
        "VTCompressionSessionCompleteFrames")
}

@main
struct VTLiveEncoder {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
        guard numbers.count == 4, let width = Int32(exactly: numbers[0]), let height = Int32(exactly: numbers[1]),
            let rate = Int32(exactly: numbers[2])
        else {
            print("usage: VTLiveEncoder WIDTH HEIGHT FRAMES_PER_SECOND BITS_PER_SECOND <IN.nv12 >OUT.h264")
            exit(2)
        }
        do {
            let session = try makeSession(
                width: width, height: height, rate: numbers[2], bitsPerSecond: numbers[3])
            defer { VTCompressionSessionInvalidate(session) }
            try encodeAll(session, rate: rate)
        } catch {
            fail(error)
        }
    }
}
