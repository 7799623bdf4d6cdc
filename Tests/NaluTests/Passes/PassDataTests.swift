import Testing

@testable import Nalu

/// Bytes of a first pass that no session wrote: the checksum is right, and what they say is not.
@Suite struct PassDataTests {
    static let statistics = """
        #options: 64x48 fps=30/1 timebase=1/30 mbtree=0 qcomp=0.60 ip_ratio=1.40 pb_ratio=1.30
        in:0 out:0 type:I dur:2 cpbdur:2 q:20.00 aq:19.00 tex:9000 mv:500 misc:300 imb:12 pmb:0 smb:0 d:- ref:0 ;
        in:1 out:1 type:P dur:2 cpbdur:2 q:23.00 aq:22.00 tex:4000 mv:700 misc:100 imb:1 pmb:9 smb:2 d:- ref:1 ;

        """

    static let clip = {
        var clip = PassClip(width: 64, height: 48)
        clip.times = [MediaTime(value: 0, timescale: 30), MediaTime(value: 1, timescale: 30)]
        clip.keyFrames = [0]
        return clip
    }()

    static func data(_ statistics: String) -> [UInt8] {
        PassData(clip: clip, files: [Array(statistics.utf8), nil]).bytes
    }

    @Test func whatIsWrittenIsRead() throws {
        let data = try PassData(Self.data(Self.statistics))
        #expect(data.clip.times == [MediaTime(value: 0, timescale: 30), MediaTime(value: 1, timescale: 30)])
        #expect(data.clip.keyFrames == [0] && data.clip.width == 64 && data.clip.height == 48)
        #expect(data.files == [Array(Self.statistics.utf8), nil])
    }

    /// Statistics with a byte changed are refused, or give bits that can be added up.
    @Test func strangeStatisticsAreCountedOrRefused() throws {
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
        #expect(counted > whole.count)
    }

    /// Bits that no quantiser changes hide those that it does: their sum is the same without them.
    @Test func partsOfAlmostNothingGetBits() throws {
        let frame = " type:P q:-100 tex:0 mv:0 misc:1000000000000 imb:0 pmb:0 smb:0 ;\n"
        let text = "#options: 64x48 mbtree=0 qcomp=0.60\nin:0 out:0\(frame)in:1 out:1\(frame)"
        let part = try MultiPassStorage(data: Self.data(text))
        #expect(try MultiPassStorage.bitRates(dividing: 1_000_000, among: [part, part]) == [7_500_000, 7_500_000])
    }

    @Test(arguments: ["", "#options: 64x48\n", "in:0\n", "type: q:\n", String(repeating: "in:0 type:I ", count: 99)])
    func otherTextIsRefused(text: String) {
        #expect(throws: NaluError.self) { try MultiPassStorage(data: Self.data(text)) }
    }

    /// x264 does not check the size, and allocates and writes by it.
    @Test(arguments: ["48x64", "-64x-48", "64x4800", "2147483647x2147483647", ""])
    func statisticsOfOtherPicturesAreRefused(size: String) {
        let text = Self.statistics.replacing("64x48", with: size)
        #expect(throws: NaluError.self) { try MultiPassStorage(data: Self.data(text)) }
    }

    @Test func timesThatDoNotGrowAreRefused() {
        var clip = PassClip(width: 64, height: 48)
        clip.times = [MediaTime(value: 1, timescale: 30), MediaTime(value: 1, timescale: 30)]
        let bytes = PassData(clip: clip, files: [Array(Self.statistics.utf8), nil]).bytes
        #expect(throws: NaluError.self) { try PassData(bytes) }
    }
}
