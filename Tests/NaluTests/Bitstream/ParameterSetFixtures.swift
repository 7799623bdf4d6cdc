import Testing

@testable import Nalu
@testable import NaluBitstream

/// Parameter sets that the x264 command (0.164.3095) wrote, and their values according to ffprobe and FFmpeg's
/// trace_headers bitstream filter. Commands to make another one:
///
///     ffmpeg -f lavfi -i testsrc=size=SIZE:rate=RATE -frames:v 3 -pix_fmt yuv420p in.y4m
///     x264 --threads 1 OPTIONS -o out.264 in.y4m
///     ffmpeg -i out.264 -c copy -bsf:v trace_headers -f null -
struct ParameterSetFixture: CustomTestStringConvertible, Sendable {
    /// The size, the frame rate and the options of the x264 command.
    let command: String
    let sps: [UInt8]
    let pps: [UInt8]
    let expected: SequenceParameterSet

    var testDescription: String { command }

    /// Most fixtures are of High Profile with B-frames that refer to B-frames. `inOrder` is the number of reference frames
    /// of a stream without B-frames. `fill` sets all other values.
    init(
        _ command: String, sps: String, pps: String, profile: Int = 100, level: Int, size: (Int, Int),
        timeScale: UInt32 = 50, inOrder references: Int? = nil, _ fill: (inout SequenceParameterSet) -> Void = { _ in }
    ) {
        self.command = command
        self.sps = TestBytes.hex(sps)
        self.pps = TestBytes.hex(pps)
        var expected = SequenceParameterSet()
        expected.profileIDC = profile
        expected.levelIDC = level
        (expected.codedWidth, expected.codedHeight) = size
        expected.picOrderCountType = references == nil ? 0 : 2
        expected.picOrderCountBits = references == nil ? 6 : 4
        expected.maxReferenceFrames = references ?? 4
        expected.maxDecodedFrameBuffering = references ?? 4
        expected.reorderDepth = references == nil ? 2 : 0
        expected.timeScale = timeScale
        expected.unitsInTick = 1
        // These values are the same in every x264 stream.
        expected.pixelAspectRatioHorizontal = 1
        expected.pixelAspectRatioVertical = 1
        expected.hasFixedFrameRate = true
        fill(&expected)
        self.expected = expected
    }
}

extension ParameterSetFixture {
    static let all: [ParameterSetFixture] = [
        ParameterSetFixture(
            "176x144@15 --profile baseline",
            sps: "6742c00ad902c4ec04400000030040000007a3c48992",
            pps: "68cb83cb20",
            profile: 66, level: 10, size: (176, 144), timeScale: 30, inOrder: 3
        ) {
            $0.constraintFlags = 0xc0
        },
        ParameterSetFixture(
            "176x144@15 --profile baseline --level 1b",
            sps: "6742d00bd902c4ec04400000030040000007a3c48992",
            pps: "68cb83cb20",
            profile: 66, level: 9, size: (176, 144), timeScale: 30, inOrder: 3
        ) {
            $0.constraintFlags = 0xd0
        },
        ParameterSetFixture(
            "176x144@15 --profile high --level 1b",
            sps: "67640009acd942c4ec04400000030040000007a3c4896580",
            pps: "68ebe3cb22c0",
            level: 9, size: (176, 144), timeScale: 30),
        ParameterSetFixture(
            "640x272@25 --profile main --bframes 3",
            sps: "674d4015eca05011d808800000030080000019478b16cb",
            pps: "68ebe3cb20",
            profile: 77, level: 21, size: (640, 272)
        ) {
            $0.constraintFlags = 0x40
        },
        ParameterSetFixture(
            "1280x720@30000/1001 --profile high --bframes 3 --b-pyramid normal --colorprim bt709"
                + " --transfer bt709 --colormatrix bt709",
            sps: "6764001facd9405005bb016a020202800001f480007530478c18cb",
            pps: "68ebe3cb22c0",
            level: 31, size: (1280, 720), timeScale: 60000
        ) {
            $0.colorPrimaries = 1
            $0.transferCharacteristics = 1
            $0.matrixCoefficients = 1
            $0.unitsInTick = 1001
        },
        ParameterSetFixture(
            "1920x1080@60 --bframes 2 --level 4.2",
            sps: "6764002aacd940780227e5c044000003000400000301e23c60c658",
            pps: "68ebe3cb22c0",
            level: 42, size: (1920, 1088), timeScale: 120
        ) {
            $0.cropBottom = 8
        },
        ParameterSetFixture(
            "322x182@24 --sar 4:3 --range pc --input-range pc",
            sps: "6764000dacd941519e226c39b2000003000200000300611e28532c",
            pps: "68ebe3cb22c0",
            level: 13, size: (336, 192), timeScale: 48
        ) {
            $0.cropRight = 14
            $0.cropBottom = 10
            $0.pixelAspectRatioHorizontal = 4
            $0.pixelAspectRatioVertical = 3
            $0.isFullRange = true
        },
        ParameterSetFixture(
            "720x576@25 --sar 59:54 --colorprim bt470bg --transfer bt470bg --colormatrix bt470bg"
                + " --videoformat pal --overscan show --chromaloc 1",
            sps: "6764001eacd940b4126ffc00ec00da9414141694000003000400000300ca3c58b658",
            pps: "68ebe3cb22c0",
            level: 30, size: (720, 576)
        ) {
            $0.pixelAspectRatioHorizontal = 59
            $0.pixelAspectRatioVertical = 54
            $0.colorPrimaries = 5
            $0.transferCharacteristics = 5
            $0.matrixCoefficients = 5
            $0.chromaLocation = 1
        },
        ParameterSetFixture(
            "720x480@30000/1001 --tff --sar 10:11",
            sps: "6764001eacd940b47b6062000007d20001d4c13e28532c",
            pps: "68fba3cb22c0",
            level: 30, size: (720, 480), timeScale: 60000
        ) {
            $0.frameMbsOnly = false
            $0.pixelAspectRatioHorizontal = 10
            $0.pixelAspectRatioVertical = 11
            $0.hasPictureStructure = true
            $0.unitsInTick = 1001
        },
        ParameterSetFixture(
            "640x360@30 --nal-hrd cbr --bitrate 800 --vbv-maxrate 800 --vbv-bufsize 800",
            sps: "6764001eacd940a02ff970110000030001000003003ce480030d40061ae4c30078b16cb0",
            pps: "68ebecb22c",
            level: 30, size: (640, 368), timeScale: 60
        ) {
            $0.cropBottom = 8
            $0.hasNALHRD = true
            $0.nalHRD = HRDParameters(
                schedules: [.init(bitRate: 800000, bufferSize: 800000, isConstant: true)],
                initialRemovalDelayBits: 19, removalDelayBits: 13, outputDelayBits: 7,
                timeOffsetBits: 0)
        },
        ParameterSetFixture(
            "640x360@30 --nal-hrd vbr --bitrate 800 --vbv-maxrate 1600 --vbv-bufsize 1600"
                + " --pic-struct",
            sps: "6764001eacd940a02ff970110000030001000003003ce6a0030d40061aa4c300f8b16cb0",
            pps: "68ebecb22c",
            level: 30, size: (640, 368), timeScale: 60
        ) {
            $0.cropBottom = 8
            $0.hasNALHRD = true
            $0.hasPictureStructure = true
            $0.nalHRD = HRDParameters(
                schedules: [.init(bitRate: 1600000, bufferSize: 1600000, isConstant: false)],
                initialRemovalDelayBits: 19, removalDelayBits: 13, outputDelayBits: 7,
                timeOffsetBits: 0)
        },
        ParameterSetFixture(
            "640x480@30 --tune zerolatency --preset ultrafast",
            sps: "6742c01eda0280f6c044000003000400000300f23c58ba80",
            pps: "68ce0fc8",
            profile: 66, level: 30, size: (640, 480), timeScale: 60, inOrder: 1
        ) {
            $0.constraintFlags = 0xc0
        },
        ParameterSetFixture(
            "320x240@30 --cqm jvt",
            sps: "6764000dacd94141fb0110000003001000000303c8f1429960",
            pps: "68ebe3cb3002c0",
            level: 13, size: (320, 240), timeScale: 60),
        ParameterSetFixture(
            "640x360@25 --output-csp i422",
            sps: "677a001ebcd940a02ff89c0440000003004000000ca3c58b6580",
            pps: "68ebe3cb22c0",
            profile: 122, level: 30, size: (640, 368)
        ) {
            $0.chromaFormatIDC = 2
            $0.cropBottom = 8
        },
        ParameterSetFixture(
            "642x362@25 --output-csp i444",
            sps: "67f4001e919b281485fc7cf808800000030080000019478b16cb",
            pps: "68ebe3c44844",
            profile: 244, level: 30, size: (656, 368)
        ) {
            $0.chromaFormatIDC = 3
            $0.cropRight = 14
            $0.cropBottom = 6
        },
        ParameterSetFixture(
            "640x360@25 --output-depth 10",
            sps: "676e001ea6cd940a02ff97011000000300100000030328f162d960",
            pps: "68ebe3cb22c0",
            profile: 110, level: 30, size: (640, 368)
        ) {
            $0.lumaBitDepth = 10
            $0.chromaBitDepth = 10
            $0.cropBottom = 8
        },
        ParameterSetFixture(
            "640x360@25 --output-csp i422 --output-depth 10 --tff",
            sps: "677a001eb6cd940a063f1b808800000300080000030194f8a14cb0",
            pps: "68fba3cb22c0",
            profile: 122, level: 30, size: (640, 384)
        ) {
            $0.chromaFormatIDC = 2
            $0.lumaBitDepth = 10
            $0.chromaBitDepth = 10
            $0.cropBottom = 24
            $0.frameMbsOnly = false
            $0.hasPictureStructure = true
        },
        ParameterSetFixture(
            "64x64@25 --qp 0",
            sps: "67f4000aaeb2084d80880000030008000003019478913240",
            pps: "68ebc06bcb",
            profile: 244, level: 10, size: (64, 64), inOrder: 3
        ) {
            $0.isLosslessAtZero = true
        },
        ParameterSetFixture(
            "320x180@25 --output-csp i400",
            sps: "6764000cf36505067e37011000000300100000030328f1429960",
            pps: "68ebe3cb22c0",
            level: 12, size: (320, 192)
        ) {
            $0.chromaFormatIDC = 0
            $0.cropBottom = 12
        },
        ParameterSetFixture(
            "320x180@25 --profile high10 --output-depth 10 --keyint 1",
            sps: "676e100ca6cb82833f3e022000000300200000065080",
            pps: "68ee0f2c8b",
            profile: 110, level: 12, size: (320, 192), inOrder: 0
        ) {
            $0.constraintFlags = 0x10
            $0.lumaBitDepth = 10
            $0.chromaBitDepth = 10
            $0.cropBottom = 12
            $0.maxDecodedFrameBuffering = nil
        },
        ParameterSetFixture(
            "3840x2160@50 --bframes 3 --preset ultrafast",
            sps: "674d4034eca01e0021f60220000003002000000c91e30632c0",
            pps: "68ce0fc8",
            profile: 77, level: 52, size: (3840, 2160), timeScale: 100
        ) {
            $0.constraintFlags = 0x40
        },
        ParameterSetFixture(
            "2x2@25",
            sps: "6764000aacd95f8888c044000003000400000300ca3c489658",
            pps: "68ebe3cb22c0",
            level: 10, size: (16, 16)
        ) {
            $0.cropRight = 14
            $0.cropBottom = 14
        },
    ]
}
