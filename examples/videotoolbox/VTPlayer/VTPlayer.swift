// Decodes a live stream of H.264 with start codes, such as one from a network, and writes each picture at its time.
//
//     VTPlayer FRAMES_PER_SECOND SPEED <IN.h264 >OUT.nv12
//
// Such a stream has no times. It is live and has no reordering: its pictures are in output order. It compiles on a Mac
// as well.
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

/// Splits a stream into NAL units as its data arrives.
struct UnitSplitter {
    /// The bytes from the start code of the next unit on, once there is one.
    private var bytes: [UInt8] = []
    private var hasStart = false
    /// The offset at which the search for the next start code continues. Each byte is examined once, however long a
    /// unit is.
    private var searched = 0

    /// Appends data, and returns the units that are now complete. At the end, the last unit is complete too.
    mutating func append(_ piece: Data, isEnd: Bool) -> [Data] {
        bytes += piece
        var units: [Data] = []
        var start = 0
        while searched + 3 <= bytes.count {
            guard bytes[searched] == 0, bytes[searched + 1] == 0, bytes[searched + 2] == 1 else {
                searched += 1
                continue
            }
            if hasStart { units.append(unit(start, searched)) }
            hasStart = true
            start = searched
            searched += 3
        }
        if isEnd, hasStart {
            units.append(unit(start, bytes.count))
            start = bytes.count
            hasStart = false
        }
        bytes.removeFirst(start)
        searched = max(searched - start, 0)
        return units
    }

    /// The unit between two start codes. Zeros at its end belong to the second one.
    private func unit(_ start: Int, _ nextStart: Int) -> Data {
        var end = nextStart
        while end > start + 3, bytes[end - 1] == 0 { end -= 1 }
        return Data(bytes[(start + 3)..<end])
    }
}

final class Player {
    private let rate: Int32
    private let timebase: CMTimebase
    private var parameterSets: [UInt8: Data] = [:]
    private var format: CMFormatDescription?
    private var session: VTDecompressionSession?
    /// The NAL units of the next picture, each after its length.
    private var picture = Data()
    private var hasSlice = false
    private var count: CMTimeValue = 0

    init(rate: Int32, speed: Double) throws {
        self.rate = rate
        timebase = try CMTimebase(sourceClock: .hostTimeClock)
        try timebase.setRate(speed)
    }

    func take(_ unit: Data) throws {
        guard unit.count > 1 else { return }
        let type = unit[unit.startIndex] & 31
        let isSlice = (1...5).contains(type)
        // The first slice of a picture begins with a 1 bit. Between the slices of a picture there are only slices.
        if !isSlice || unit[unit.startIndex + 1] & 0x80 != 0 { try finishPicture() }
        if type == 7 || type == 8 {
            if parameterSets[type] != unit {
                parameterSets[type] = unit
                format = nil
            }
            return
        }
        picture += withUnsafeBytes(of: UInt32(unit.count).bigEndian) { Data($0) } + unit
        hasSlice = hasSlice || isSlice
    }

    func finishPicture() throws {
        defer { (picture, hasSlice) = (Data(), false) }
        guard hasSlice, let format = try currentFormat(), let session else { return }
        let block = try CMBlockBuffer(length: picture.count)
        try picture.withUnsafeBytes { try block.replaceDataBytes(with: $0) }
        let timing = CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: rate),
            presentationTimeStamp: CMTime(value: count, timescale: rate), decodeTimeStamp: .invalid)
        count += 1
        let sample = try CMSampleBuffer(
            dataBuffer: block, formatDescription: format, numSamples: 1, sampleTimings: [timing],
            sampleSizes: [picture.count])
        let timebase = timebase
        let status = VTDecompressionSessionDecodeFrame(session, sampleBuffer: sample, flags: [], infoFlagsOut: nil) {
            status, _, image, time, _ in
            guard let image else { return fail(Failure(what: "a picture is missing", status: status)) }
            while timebase.time < time { usleep(1000) }
            show(image)
        }
        try check(status, "VTDecompressionSessionDecodeFrame")
    }

    /// The description of the current parameter sets. A session that does not accept it is replaced.
    private func currentFormat() throws -> CMFormatDescription? {
        if let format { return format }
        guard let sps = parameterSets[7], let pps = parameterSets[8] else { return nil }
        let format = try CMFormatDescription(h264ParameterSets: [sps, pps])
        self.format = format
        if let session {
            if VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: format) { return format }
            VTDecompressionSessionInvalidate(session)
        }
        try check(
            VTDecompressionSessionCreate(
                allocator: nil, formatDescription: format, decoderSpecification: nil, imageBufferAttributes: nil,
                outputCallback: nil, decompressionSessionOut: &session), "VTDecompressionSessionCreate")
        return format
    }
}

func show(_ image: CVImageBuffer) {
    CVPixelBufferLockBaseAddress(image, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(image, .readOnly) }
    var pixels = Data()
    for plane in 0..<CVPixelBufferGetPlaneCount(image) {
        guard var row = CVPixelBufferGetBaseAddressOfPlane(image, plane) else { return }
        for _ in 0..<CVPixelBufferGetHeightOfPlane(image, plane) {
            pixels.append(Data(bytes: row, count: CVPixelBufferGetWidthOfPlane(image, plane) * (plane + 1)))
            row += CVPixelBufferGetBytesPerRowOfPlane(image, plane)
        }
    }
    FileHandle.standardOutput.write(pixels)
}

func fail(_ error: any Error) {
    FileHandle.standardError.write(Data("VTPlayer: \(error)\n".utf8))
    exit(1)
}

@main
struct VTPlayer {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let rate = arguments.first.flatMap(Int32.init), rate > 0,
            let speed = arguments.last.flatMap(Double.init)
        else {
            print("usage: VTPlayer FRAMES_PER_SECOND SPEED <IN.h264 >OUT.nv12")
            exit(2)
        }
        do {
            let player = try Player(rate: rate, speed: speed)
            var splitter = UnitSplitter()
            while let piece = try FileHandle.standardInput.read(upToCount: 65536), !piece.isEmpty {
                for unit in splitter.append(piece, isEnd: false) { try player.take(unit) }
            }
            for unit in splitter.append(Data(), isEnd: true) { try player.take(unit) }
            try player.finishPicture()
        } catch {
            fail(error)
        }
    }
}
