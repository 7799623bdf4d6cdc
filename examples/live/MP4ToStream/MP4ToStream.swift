// Writes the video of a file as a stream with start codes, without encoding it again.
//
//     MP4ToStream IN.mp4 OUT.h264|OUT.h265
//
// IN may have any container that a reader opens. Each key frame has the parameter sets before it, so that a decoder can
// begin there.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Nalu
import NaluMedia

struct Failure: Error {
    let message: String
}

@main
enum MP4ToStream {
    static func main() {
        guard CommandLine.arguments.count == 3 else {
            end("usage: MP4ToStream IN.mp4 OUT.h264|OUT.h265")
        }
        do {
            print("\(try copy(CommandLine.arguments[1], to: CommandLine.arguments[2])) samples")
        } catch {
            end("MP4ToStream: \((error as? NaluError)?.message ?? (error as? Failure)?.message ?? "\(error)")")
        }
    }

    private static func end(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(EXIT_FAILURE)
    }

    /// Copies the samples of the selected track, and returns their number.
    private static func copy(_ source: String, to target: String) throws -> Int {
        let reader = try Reader(path: source)
        guard let track = reader.tracks.first(where: \.isSelected) else {
            throw Failure(message: "\(source) has no video in H.264 or H.265")
        }
        let fileExtension = track.codecName == "hevc" ? "h265" : "h264"
        guard target.hasSuffix("." + fileExtension) else {
            throw Failure(message: "the video is \(fileExtension.uppercased()): name the output .\(fileExtension)")
        }
        guard FileManager.default.createFile(atPath: target, contents: nil),
            let file = FileHandle(forWritingAtPath: target)
        else { throw Failure(message: "\(target) cannot be created") }
        var count = 0
        while let (_, sample) = try reader.nextSample() {
            try file.write(contentsOf: sample.annexB())
            count += 1
        }
        try file.close()
        return count
    }
}
