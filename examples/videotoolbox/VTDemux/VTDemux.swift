// Extracts the H.264 or H.265 track of an MP4 file, and writes it with start codes.
//
//     VTDemux IN.mp4 OUT.h264
//
// Each sample of the file becomes a sample buffer, with the format description of its track. Fragments are ignored.
// Only sample entries `avc1` and `hvc1` are known. It compiles on a Mac as well.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import CoreMedia
import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// The content of a box of the file.
struct Box {
    let bytes: Data

    /// A big-endian number of 32 bits at an offset.
    func number(at offset: Int) throws -> Int {
        guard offset >= 0, offset <= bytes.count - 4 else { throw Failure(description: "the file is corrupt") }
        let start = bytes.startIndex + offset
        return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The consecutive boxes from an offset on, with their types.
    func children(from offset: Int = 0) throws -> [(type: String, box: Box)] {
        var found: [(type: String, box: Box)] = []
        var at = offset
        while at <= bytes.count - 8 {
            var size = try number(at: at)
            var header = 8
            if size == 1 {
                size = try number(at: at + 8) << 32 | number(at: at + 12)
                header = 16
            } else if size == 0 {
                size = bytes.count - at
            }
            guard size >= header, size <= bytes.count - at else { throw Failure(description: "the file is corrupt") }
            let start = bytes.startIndex + at
            let type = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            found.append((type, Box(bytes: bytes[start + header..<start + size])))
            at += size
        }
        return found
    }

    func child(_ type: String, from offset: Int = 0) throws -> Box? {
        try children(from: offset).first { $0.type == type }?.box
    }
}

/// The table of samples of a track.
struct Track {
    let format: CMFormatDescription
    let samples: [(range: Range<Int>, isKeyFrame: Bool)]

    init(_ table: Box) throws {
        guard let entries = try table.child("stsd"), let sizes = try table.child("stsz"),
            let runs = try table.child("stsc")
        else { throw Failure(description: "the track has no samples") }
        format = try Track.makeFormat(entries)
        let keyFrames = try table.child("stss").map { box in
            Set(try (0..<box.number(at: 4)).map { try box.number(at: 8 + $0 * 4) })
        }
        let (count, size) = (try sizes.number(at: 8), try sizes.number(at: 4))
        let offsets = try Track.offsets(table)
        var samples: [(range: Range<Int>, isKeyFrame: Bool)] = []
        var run = 0
        for (chunk, offset) in offsets.enumerated() {
            while run + 1 < (try runs.number(at: 4)), try runs.number(at: 8 + (run + 1) * 12) <= chunk + 1 { run += 1 }
            var offset = offset
            for _ in 0..<(try runs.number(at: 12 + run * 12)) where samples.count < count {
                let length = size > 0 ? size : try sizes.number(at: 12 + samples.count * 4)
                let isKeyFrame = keyFrames?.contains(samples.count + 1) ?? true
                samples.append((offset..<offset + length, isKeyFrame))
                offset += length
            }
        }
        self.samples = samples
    }

    /// The offsets of the chunks in the file.
    private static func offsets(_ table: Box) throws -> [Int] {
        if let box = try table.child("stco") {
            return try (0..<box.number(at: 4)).map { try box.number(at: 8 + $0 * 4) }
        }
        guard let box = try table.child("co64") else { return [] }
        return try (0..<box.number(at: 4)).map {
            let (high, low) = (try box.number(at: 8 + $0 * 8), try box.number(at: 12 + $0 * 8))
            guard high < 1 << 31 else { throw Failure(description: "the file is corrupt") }
            return high << 32 | low
        }
    }

    private static func makeFormat(_ entries: Box) throws -> CMFormatDescription {
        let kinds: [(String, String, CMFormatDescription.MediaSubType)] = [
            ("avc1", "avcC", .h264), ("hvc1", "hvcC", .hevc),
        ]
        for (type, atom, codec) in kinds {
            guard let entry = try entries.child(type, from: 8), let record = try entry.child(atom, from: 78) else {
                continue
            }
            let size = try entry.number(at: 24)
            let extensions = [
                kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: [atom: record.bytes]
            ]
            var format: CMFormatDescription?
            let status = CMVideoFormatDescriptionCreate(
                allocator: kCFAllocatorDefault, codecType: codec.rawValue, width: Int32(size >> 16),
                height: Int32(size & 0xffff), extensions: extensions as CFDictionary, formatDescriptionOut: &format)
            guard status == noErr, let format else { throw Failure(description: "\(atom): status \(status)") }
            return format
        }
        throw Failure(description: "the track is neither H.264 nor H.265")
    }
}

/// The NAL units of a sample buffer with start codes. The parameter sets of its format description precede a key frame.
func annexB(_ sample: CMSampleBuffer, isKeyFrame: Bool) throws -> Data {
    guard let format = sample.formatDescription, let lengthSize = format.nalUnitHeaderLength,
        let data = sample.dataBuffer
    else { throw Failure(description: "a sample has neither H.264 nor H.265") }
    let startCode = Data([0, 0, 0, 1])
    var stream = Data()
    if isKeyFrame {
        for set in format.parameterSets { stream += startCode + set }
    }
    let bytes = try data.dataBytes()
    var rest = bytes[...]
    while rest.count > lengthSize {
        let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(lengthSize)
        guard length <= rest.count else { throw Failure(description: "a sample is corrupt") }
        stream += startCode + rest.prefix(length)
        rest = rest.dropFirst(length)
    }
    return stream
}

func demux(_ file: Data, to output: FileHandle) throws {
    let tracks = try Box(bytes: file).child("moov")?.children().filter { $0.type == "trak" } ?? []
    for (_, track) in tracks {
        guard let media = try track.child("mdia"), let handler = try media.child("hdlr"),
            try handler.number(at: 8) == Int(kCMMediaType_Video),
            let table = try media.child("minf")?.child("stbl")
        else { continue }
        let track = try Track(table)
        for (range, isKeyFrame) in track.samples {
            guard range.upperBound <= file.count else { throw Failure(description: "the file is cut off") }
            let block = try CMBlockBuffer(length: range.count)
            try file[range].withUnsafeBytes { try block.replaceDataBytes(with: $0) }
            let sample = try CMSampleBuffer(
                dataBuffer: block, formatDescription: track.format, numSamples: 1, sampleTimings: [],
                sampleSizes: [range.count])
            if !isKeyFrame { sample.sampleAttachments[0][.notSync] = true }
            try output.write(contentsOf: annexB(sample, isKeyFrame: isKeyFrame))
        }
        return
    }
    throw Failure(description: "the file has no video track")
}

@main
struct VTDemux {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: VTDemux IN.mp4 OUT.h264")
            exit(2)
        }
        do {
            let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
            guard FileManager.default.createFile(atPath: arguments[2], contents: nil),
                let output = FileHandle(forWritingAtPath: arguments[2])
            else { throw Failure(description: "\(arguments[2]) cannot be written") }
            try demux(file, to: output)
        } catch {
            FileHandle.standardError.write(Data("VTDemux: \(error)\n".utf8))
            exit(1)
        }
    }
}
