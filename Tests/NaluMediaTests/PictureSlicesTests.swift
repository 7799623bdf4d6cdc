import Nalu
import NaluBase
import NaluBitstream
import NaluMedia
import Testing

@Suite("The slices that a reader passes on with its samples")
struct PictureSlicesTests {
    @Test("They show the same losses as the bytes of the samples", arguments: [Container.mp4, .mpegTS])
    func slicesShowTheSameLosses(_ container: Container) throws {
        let samples = try Clip.samples(count: 24)
        let file = TemporaryFile("clip.bin")
        let writer = try Writer(path: file.path, container: container)
        try writer.addTrack(samples[0].formatDescription)
        for (index, sample) in samples.enumerated() where index != 9 && index != 12 { try writer.write(sample) }
        try writer.finish()

        let reader = try Reader(path: file.path)
        var (ofSlices, ofBytes) = (StreamLossDetector(), StreamLossDetector())
        var count = 0
        var hasLoss = false
        while let (_, sample) = try reader.nextSample() {
            let sets = sample.formatDescription.parameterSets
            ofSlices.adopt(.h264, parameterSets: sets)
            ofBytes.adopt(.h264, parameterSets: sets)
            let times = PictureTimes(presentation: sample.presentationTime, duration: sample.duration)
            let slices = try #require(sample.slices)
            let found = ofSlices.look(at: slices, times)
            let report = try #require(found)
            let other = unsafe sample.bytes.withUnsafeBytes { bytes in
                unsafe ofBytes.look(at: bytes, lengthSize: sample.formatDescription.lengthSize, times)
            }
            let loss = try report.loss.get()
            let expected = try other.loss.get()
            #expect(loss == expected && report.isSplit == other.isSplit)
            #expect(report.place?.order == other.place?.order)
            #expect(report.place?.restartsOrder == other.place?.restartsOrder)
            hasLoss = hasLoss || loss == .referenceMissing
            count += 1
        }
        #expect(count == 22 && hasLoss)
    }
}
