import Glibc
import Nalu
import NaluMedia
import Testing

@Suite("Writing through the Swift module")
struct WriterTests {
    @Test("A session's samples become an MP4 file, whole by its boxes")
    func wholeFile() throws {
        let file = TemporaryFile("clip.mp4")
        let samples = try Clip.samples(count: 12)
        let writer = try Writer(path: file.path)
        let track = try writer.addTrack(samples[0].formatDescription, options: TrackOptions(rotation: 90))
        #expect(track == 0)
        for sample in samples { try writer.write(sample, to: track) }
        try writer.finish()
        try writer.finish()
        let boxes = Boxes.names(of: try file.bytes())
        #expect(boxes == ["ftyp", "free", "mdat", "moov"])
        let payload = samples.reduce(0) { unsafe $0 + $1.data.count }
        #expect(try file.bytes().count > payload)
    }

    @Test("The index comes first with fast start, and fragments need no seeking")
    func forms() throws {
        let samples = try Clip.samples(count: 6)
        let file = TemporaryFile("clip.mp4")
        var options = WriterOptions()
        options.fastStart = true
        try Self.write(samples, with: try Writer(path: file.path, options: options))
        #expect(Boxes.names(of: try file.bytes()).prefix(2) == ["ftyp", "moov"])

        options = WriterOptions()
        options.isFragmented = true
        let written = Collected()
        try Self.write(samples, with: try Writer(container: .mp4, options: options, write: written.append))
        let names = Boxes.names(of: written.bytes)
        #expect(names.prefix(4) == ["ftyp", "moov", "moof", "mdat"])
    }

    @Test("Raw H.264 is the samples' Annex B")
    func annexB() throws {
        let samples = try Clip.samples(count: 5)
        let written = Collected()
        try Self.write(samples, with: try Writer(container: .h264, write: written.append))
        #expect(written.bytes == samples.flatMap { $0.annexB() })
    }

    @Test("A writer that is let go is finished")
    func aReleasedWriterFinishesItsFile() throws {
        let file = TemporaryFile("clip.mkv")
        do {
            let writer = try Writer(path: file.path)
            for sample in try Clip.samples(count: 2) {
                if sample.isKeyFrame { try writer.addTrack(sample.formatDescription) }
                try writer.write(sample)
            }
        }
        #expect(try file.bytes().starts(with: [0x1A, 0x45, 0xDF, 0xA3]))
    }

    @Test("Refusals are NaluErrors that speak of Swift's names")
    func refusals() throws {
        let file = TemporaryFile("clip.mp4")
        let samples = try Clip.samples(count: 3)
        try Self.write(samples, with: try Writer(path: file.path))
        expect(.inputOutput, "overwrite") { () throws(NaluError) in _ = try Writer(path: file.path) }
        expect(.parameter, "extension") { () throws(NaluError) in _ = try Writer(path: "clip") }
        expect(.unsupportedDataFormat, "avi") { () throws(NaluError) in
            _ = try Writer(path: "clip", container: Container(rawValue: "avi"))
        }
        var options = WriterOptions()
        options.isFragmented = true
        expect(.conflict, "isFragmented", "matroska") { () throws(NaluError) in
            _ = try Writer(path: "clip.mkv", options: options)
        }
        options.fragmentDuration = -1
        expect(.outOfRange, "options.fragmentDuration") { () throws(NaluError) in
            _ = try Writer(path: "clip.mp4", options: options)
        }
        expect(.conflict, "cannot seek") { () throws(NaluError) in _ = try Writer(container: .mp4) { _ in 0 } }

        let writer = try Writer(container: .mpegTS) { _ in 0 }
        expect(.outOfRange, "addTrack") { () throws(NaluError) in try writer.write(samples[0]) }
        expect(.outOfRange, "rotation") { () throws(NaluError) in
            try writer.addTrack(samples[0].formatDescription, options: TrackOptions(rotation: Int.max))
        }
        try writer.addTrack(samples[0].formatDescription)
        expect(.unsupportedDataFormat, "track") { () throws(NaluError) in
            try writer.addTrack(samples[0].formatDescription)
        }
        expect(.outOfOrder, "key frame") { () throws(NaluError) in try writer.write(samples[1]) }
        try writer.finish()
        expect(.outOfOrder, "finished") { () throws(NaluError) in try writer.write(samples[0]) }
    }

    @Test("A path that is spelled like a name of C comes back as it is")
    func namesInPaths() throws {
        for name in ["nalu_sample.mp4", "NALU_WRITER_OVERWRITE.mp4"] {
            let file = TemporaryFile(name)
            try Self.write(try Clip.samples(count: 2), with: try Writer(path: file.path))
            do throws(NaluError) {
                _ = try Writer(path: file.path)
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.message.contains("/\(name)\""))
                #expect(error.message.hasSuffix("or options.overwrite"))
            }
        }
    }

    @Test("What the output refuses is told, and then stays so")
    func failingOutput() throws {
        let samples = try Clip.samples(count: 2)
        let writer = try Writer(container: .mpegTS) { _ in ENOSPC }
        try writer.addTrack(samples[0].formatDescription)
        for _ in 0..<2 {
            expect(.inputOutput, "No space left") { () throws(NaluError) in
                for sample in samples { try writer.write(sample) }
                try writer.finish()
            }
        }
    }

    private static func write(_ samples: [Sample], with writer: Writer) throws {
        try writer.addTrack(samples[0].formatDescription)
        for sample in samples { try writer.write(sample) }
        try writer.finish()
    }
}
