import Testing

@testable import Nalu

/// Data of a first pass with a valid checksum and contents that no session wrote.
@Suite struct PassDataTests {
    static let statistics = """
        #options: 64x48 timebase=1/30 bitdepth=8 bluray_compat=0 bframes=0 interlaced=0 weightp=1 intra_refresh=0 \
        mbtree=0 keyint=infinite qcomp=0.60 ip_ratio=1.40 pb_ratio=1.30
        in:0 out:0 type:I dur:2 cpbdur:2 q:20.00 aq:19.00 tex:9000 mv:500 misc:300 imb:12 pmb:0 smb:0 d:- ref:;
        in:1 out:1 type:P dur:2 cpbdur:2 q:23.00 aq:22.00 tex:4000 mv:700 misc:100 imb:1 pmb:9 smb:2 d:- ref:30 12 \
        w:5,40,-2,7,128,0,100,5 ;

        """

    static let clip = {
        var clip = PassClip(width: 64, height: 48)
        clip.times = [MediaTime(value: 0, timescale: 30), MediaTime(value: 1, timescale: 30)]
        clip.keyFrames = [0]
        return clip
    }()

    static func data(_ statistics: String, highestRate: Int = 0) -> [UInt8] {
        var clip = clip
        clip.highestRate = highestRate
        return PassData(clip: clip, files: [Array(statistics.utf8), nil]).bytes
    }

    @Test func writtenDataAreRead() throws {
        let data = try PassData(Self.data(Self.statistics))
        #expect(data.clip.times == [MediaTime(value: 0, timescale: 30), MediaTime(value: 1, timescale: 30)])
        #expect(data.clip.keyFrames == [0] && data.clip.width == 64 && data.clip.height == 48)
        #expect(data.files == [Array(Self.statistics.utf8), nil])
    }

    /// Statistics with a changed byte are rejected, or give bits whose sum is valid.
    @Test func unusualStatisticsAreCountedOrRefused() throws {
        let whole = Array(Self.statistics.utf8)
        var counted = 0
        for index in whole.indices {
            for byte in [UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: " "), 0, 0xFF] {
                var changed = whole
                changed[index] = byte
                do throws(NaluError) {
                    let statistics = try PassStatistics(changed, of: Self.clip)
                    for scale in [1e-6, 1, 1e9] { #expect((0...1e300).contains(statistics.bits(at: scale))) }
                    #expect(statistics.bits(at: 1) >= statistics.bits(at: 2))
                    counted += 1
                } catch {
                    #expect(error.status == .badData && !error.message.isEmpty)
                }
            }
        }
        #expect(counted > whole.count / 2)
    }

    /// A later pass receives the statistics in canonical form, without their other contents.
    @Test func statisticsAreWrittenAgainUnchanged() throws {
        let options = "fps=30/1 zones=0,1,q=0 mbtree=1 "
        let text = Self.statistics.replacing("timebase", with: options + "timebase").replacing("mbtree=1 ", with: "")
        #expect(try PassStatistics(Array(text.utf8), of: Self.clip).text == Array(Self.statistics.utf8))
    }

    /// x264 encodes a run of B-frames after the frame that follows it. One of several B-frames is a reference.
    @Test(arguments: [
        ("I0 P1", true), ("P0 I1", false), ("I1 P0", false), ("I0 i1 I2", true), ("I0 P2 b1", true),
        ("I0 b1 P2", false),
        ("I0 I2 b1", false), ("I0 i2 b1", true), ("I0 P1 b2", false), ("I0 P4 B2 b1 b3", true),
        ("I0 P4 b1 b2 b3", false),
        ("I0 P4 B1 b2 b3", false), ("I0 P4 B2 b3 b1", false), ("I0 P5 B2 b1 b3 b4", false), ("I0 P2 B1", false),
        ("b0 I1", false),
    ])
    func framesAreInCodingOrder(frames: String, isGood: Bool) throws {
        let options = String(Self.statistics.prefix { $0 != "\n" }).replacing("bframes=0", with: "bframes=3")
        var text = options.replacing("weightp", with: "b_pyramid=2 b_adapt=1 direct=1 open_gop=0 weightp") + "\n"
        var clip = PassClip(width: 64, height: 48)
        for (place, frame) in frames.split(separator: " ").enumerated() {
            let type = frame.prefix(1)
            text += "in:\(frame.dropFirst()) out:\(place) type:\(type) dur:2 cpbdur:2 q:20.00 aq:19.00 tex:9000 mv:500 "
            text += "misc:300 imb:0 pmb:9 smb:0 d:- ref:\("Ii".contains(type) ? "" : "36 ");\n"
            clip.times.append(MediaTime(value: Int64(place), timescale: 30))
        }
        if isGood {
            #expect(try PassStatistics(Array(text.utf8), of: clip).text == Array(text.utf8))
        } else {
            #expect(throws: NaluError.self) { try PassStatistics(Array(text.utf8), of: clip) }
        }
    }

    /// Each number that x264 uses without checking it.
    @Test(arguments: [
        ("ref:30", "ref:-1"), ("ref:30", "ref:49"), ("ref:30 12 ", "ref:"), ("ref:;", "ref:1 ;"),
        ("ref:30 ", "ref:" + String(repeating: "1 ", count: 16)), ("12 w", "12  w"), (" ;\n", ";\n"),
        ("w:5", "w:8"), ("w:5", "w:-1"), ("w:5,40", "w:5,128"), ("w:5,40", "w:5,-1"), (",-2,", ",-129,"),
        (",-2,", ",128,"), (",7,128,0", ",8,128,0"), (",7,128,0", ",7,128,1"), (",7,128,0", ",6,128,0"),
        (",7,128,0,100,5", ",7,128"), (",100,5", ",100,5,0"), ("type:P", "type:I"),
        ("type:P", "type:B"), ("type:I", "type:i"), ("in:1", "in:0"), ("in:1", "in:2"), ("out:1", "out:0"),
        ("dur:2 cpb", "dur:0 cpb"), ("dur:2 cpb", "dur:99999999999 cpb"), ("cpbdur:2", "cpbdur:-2"),
        ("q:23.00", "q:nan"),
        ("q:23.00", "q:1e9"), ("aq:22.00", "aq:-1.00"), ("tex:4000", "tex:2147483647"), ("mv:700", "mv:-700"),
        ("misc:100", "misc:"), ("imb:1 ", "imb:13 "), ("pmb:9", "pmb:12"), ("smb:2", "smb:3"), ("d:-", "d:x"),
        ("timebase=1/30", "timebase=0/30"), ("timebase=1/30", "timebase=2147483647/1"),
        ("timebase=1/30", "timebase=1/4294967295"), ("bitdepth=8", "bitdepth=99"),
        ("bframes=0", "bframes=3"), ("bframes=0", "bframes=17"), ("weightp=1", "weightp=3"),
        ("interlaced=0", "interlaced=1"),
        ("keyint=infinite", "keyint=0"), ("keyint=infinite", "rc_lookahead=251 keyint=infinite"),
        ("mbtree=0", "mbtree=2"),
    ])
    func numbersThatAreNotOfAFirstPassAreRefused(old: String, new: String) {
        let text = Self.statistics.replacing(old, with: new)
        #expect(text != Self.statistics)
        let error = #expect(throws: NaluError.self) { try MultiPassStorage(data: Self.data(text)) }
        #expect(error?.status == .badData)
    }

    /// The bits that do not depend on the QP are so many that adding the others does not change their sum. The chunks
    /// still get bits.
    @Test func partsOfAlmostNothingGetBits() throws {
        let text = Self.statistics.replacing("q:20.00", with: "q:0.00").replacing("q:23.00", with: "q:0.00")
            .replacing("tex:9000 mv:500 misc:300", with: "tex:0 mv:0 misc:1073741824")
            .replacing("tex:4000 mv:700 misc:100", with: "tex:0 mv:0 misc:1073741824")
        let chunk = try MultiPassStorage(data: Self.data(text))
        #expect(try MultiPassStorage.divide(1_000_000, among: [chunk, chunk]).bitRates == [7_500_000, 7_500_000])
    }

    /// A first pass is repeated if its QPs, 20 and 23, are far from those that the rate needs.
    @Test func aFirstPassFarFromItsRateIsRepeated() throws {
        let chunk = try MultiPassStorage(data: Self.data(Self.statistics))
        let near = try MultiPassStorage.divide(28_000, among: [chunk, chunk])
        #expect(near.firstPassQPs == [nil, nil])
        let coarse = try MultiPassStorage.divide(4_000, among: [chunk, chunk]).firstPassQPs.compactMap { $0 }
        #expect(coarse.count == 2 && coarse.allSatisfy { 35...45 ~= $0 })
        let fine = try MultiPassStorage.divide(400_000, among: [chunk, chunk]).firstPassQPs.compactMap { $0 }
        #expect(fine.count == 2 && fine.allSatisfy { 1...8 ~= $0 })
        #expect(try MultiPassStorage.divide(1 << 40, among: [chunk]).firstPassQPs == [1])
    }

    /// x264 repeats the weights of the last P-frame for an I-frame.
    @Test func weightsOfAnIFrameAreLeftOut() throws {
        let intra = Self.statistics.replacing("type:P", with: "type:i").replacing("ref:30 12 w:", with: "ref:w:")
        let storage = try MultiPassStorage(data: Self.data(intra))
        let text = String(decoding: try PassData(storage.data()).files[0] ?? [], as: UTF8.self)
        #expect(text.contains("type:i") && !text.contains("w:"))
    }

    /// A chunk gets at most its highest rate, and the others get what it leaves.
    @Test func aHighestRateLimitsAChunk() throws {
        let chunk = try MultiPassStorage(data: Self.data(Self.statistics))
        let limited = try MultiPassStorage(data: Self.data(Self.statistics, highestRate: 100_000))
        let rates = try MultiPassStorage.divide(40_000, among: [chunk, limited, chunk]).bitRates
        #expect(rates == [250_000, 100_000, 250_000])
        let spare = try MultiPassStorage.divide(4_000, among: [chunk, limited]).bitRates
        #expect(spare == [30_000, 30_000])
        // The QP for another first pass is that of the limited rate.
        let all = try MultiPassStorage.divide(400_000, among: [limited, limited])
        #expect(all.bitRates == [100_000, 100_000])
        let unlimited = try MultiPassStorage.divide(13_333, among: [chunk, chunk])
        for (qp, expected) in zip(all.firstPassQPs, unlimited.firstPassQPs) {
            #expect(abs((qp ?? 0) - (expected ?? 0)) < 0.01)
        }
        for damaged in [1, 999, 2_000_000_001] {
            #expect(throws: NaluError.self) {
                try MultiPassStorage(data: Self.data(Self.statistics, highestRate: damaged))
            }
        }
    }

    @Test(arguments: ["", "#options: 64x48\n", "in:0\n", "type: q:\n", String(repeating: "in:0 type:I ", count: 99)])
    func otherTextIsRefused(text: String) {
        #expect(throws: NaluError.self) { try MultiPassStorage(data: Self.data(text)) }
    }

    /// x264 allocates and writes memory by the size without checking it.
    @Test(arguments: ["48x64", "-64x-48", "64x4800", "2147483647x2147483647", ""])
    func statisticsOfOtherPicturesAreRefused(size: String) {
        let text = Self.statistics.replacing("64x48", with: size)
        #expect(throws: NaluError.self) { try MultiPassStorage(data: Self.data(text)) }
    }

    @Test func timesThatDoNotIncreaseAreRefused() {
        var clip = PassClip(width: 64, height: 48)
        clip.times = [MediaTime(value: 1, timescale: 30), MediaTime(value: 1, timescale: 30)]
        let bytes = PassData(clip: clip, files: [Array(Self.statistics.utf8), nil]).bytes
        #expect(throws: NaluError.self) { try PassData(bytes) }
    }
}
