import Testing

@testable import Nalu

/// The first 40 bytes of slices that the x264 command (0.164.3095) wrote, and their values according to FFmpeg's
/// trace_headers bitstream filter. Commands to make others:
///
///     x264 OPTIONS -o out.264 CLIP.y4m
///     ffmpeg -i out.264 -c copy -bsf:v trace_headers -f null -
struct SliceHeaderFixture: CustomTestStringConvertible, Sendable {
    let name: String
    let sps: String
    let pps: String
    let slice: String
    let type: SliceType
    let firstMacroblock: Int
    let frameNumber: Int
    let idrPictureID: Int?
    let picOrderCountLSB: Int
    let picOrderCountDeltaBottom: Int
    let qp: Int

    var testDescription: String { "\(name), frame_num \(frameNumber), first_mb_in_slice \(firstMacroblock)" }

    func header(prefix: Int = .max) throws -> SliceHeader {
        try SliceHeader(
            parsing: [UInt8](TestBytes.hex(slice).prefix(prefix)),
            pictureParameterSet: PictureParameterSet(parsing: TestBytes.hex(pps)),
            sequenceParameterSet: SequenceParameterSet(parsing: TestBytes.hex(sps)))
    }
}

extension SliceHeaderFixture {
    static let all: [SliceHeaderFixture] = [
        SliceHeaderFixture(
            name: "P and B pyramid, 640x272",
            sps: "67640015acd940a023b011000003000100000300328f162d96",
            pps: "68ef89cb",
            slice: "658884005f7dfa948bffc1fa2e1c71c542ee3a9268fddcf1c83755694eb759910b5fc9a0913539b9",
            type: .i, firstMacroblock: 0, frameNumber: 0, idrPictureID: 0,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 0,
            qp: 23),
        SliceHeaderFixture(
            name: "P and B pyramid, 640x272",
            sps: "67640015acd940a023b011000003000100000300328f162d96",
            pps: "68ef89cb",
            slice: "419a441889ff00a987a618ff3c091275d6104ce5655f54a93dc196b7837c4e7fb3c6a22e0fe74712",
            type: .p, firstMacroblock: 0, frameNumber: 2, idrPictureID: nil,
            picOrderCountLSB: 8, picOrderCountDeltaBottom: 0,
            qp: 24),
        SliceHeaderFixture(
            name: "P and B pyramid, 640x272",
            sps: "67640015acd940a023b011000003000100000300328f162d96",
            pps: "68ef89cb",
            slice: "419a66194f3fc35600f4a42e29c360d353f5c4b3baff4e71a6e31db59b2357e180cfe1c1d0adea8a",
            type: .p, firstMacroblock: 0, frameNumber: 3, idrPictureID: nil,
            picOrderCountLSB: 12, picOrderCountDeltaBottom: 0,
            qp: 25),
        SliceHeaderFixture(
            name: "P and B pyramid, 640x272",
            sps: "67640015acd940a023b011000003000100000300328f162d96",
            pps: "68ef89cb",
            slice: "419aac1897fffee6f275ffffbb6f7edbe189b79a15ea311cc379d350c5408bd4cf824b258d2d1846",
            type: .p, firstMacroblock: 0, frameNumber: 5, idrPictureID: nil,
            picOrderCountLSB: 24, picOrderCountDeltaBottom: 0,
            qp: 26),
        SliceHeaderFixture(
            name: "interlaced, CABAC",
            sps: "67640015acd942cafcbff8040003a8800001f4800075304f8a14cb",
            pps: "68fe89cb",
            slice: "65888202047fc8b9e2509fcb2a5995c8e7ab6abe3538e18d89c8e29abc76bfb6eb787f948f8b3856",
            type: .i, firstMacroblock: 0, frameNumber: 0, idrPictureID: 0,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 1,
            qp: 32),
        SliceHeaderFixture(
            name: "interlaced, CABAC",
            sps: "67640015acd942cafcbff8040003a8800001f4800075304f8a14cb",
            pps: "68fe89cb",
            slice: "419a221088ff30e51e321a78f3de1f450072dc5865c88720f9a21bb92b7cff19b317ce243b856f8e",
            type: .p, firstMacroblock: 0, frameNumber: 1, idrPictureID: nil,
            picOrderCountLSB: 8, picOrderCountDeltaBottom: 1,
            qp: 32),
        SliceHeaderFixture(
            name: "interlaced, CABAC",
            sps: "67640015acd942cafcbff8040003a8800001f4800075304f8a14cb",
            pps: "68fe89cb",
            slice: "019e6194421f74cb885d1489bfbaba418cfa2e02fe8accce3e42784f0555b017e4fa556a624b4c81",
            type: .b, firstMacroblock: 0, frameNumber: 3, idrPictureID: nil,
            picOrderCountLSB: 6, picOrderCountDeltaBottom: 1,
            qp: 36),
        SliceHeaderFixture(
            name: "interlaced, CABAC",
            sps: "67640015acd942cafcbff8040003a8800001f4800075304f8a14cb",
            pps: "68fe89cb",
            slice: "419a641344447f2f163dfb45e71e2335b9a0cab3d52a8f8435600e1d834afd92958e17767b701aca",
            type: .p, firstMacroblock: 0, frameNumber: 3, idrPictureID: nil,
            picOrderCountLSB: 16, picOrderCountDeltaBottom: 1,
            qp: 32),
        SliceHeaderFixture(
            name: "slices of 400 bytes",
            sps: "6764000bacd942c4effc020001d4400000fa40003a9823c50a6580",
            pps: "68ef8bcb",
            slice: "650b888400dfdae39df40d547811f9252dd5cdb7e07350118bd75b5175cb6f4a2544e6d7e5d89f80",
            type: .i, firstMacroblock: 22, frameNumber: 0, idrPictureID: 0,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 0,
            qp: 27),
        SliceHeaderFixture(
            name: "slices of 400 bytes",
            sps: "6764000bacd942c4effc020001d4400000fa40003a9823c50a6580",
            pps: "68ef8bcb",
            slice: "4107c688c74888ffde0d9d40b03c3e2a96c158ebaa753ffb053e5b42d8c99c3408e0df0fa3f8ef14",
            type: .p, firstMacroblock: 61, frameNumber: 1, idrPictureID: nil,
            picOrderCountLSB: 6, picOrderCountDeltaBottom: 0,
            qp: 28),
        SliceHeaderFixture(
            name: "slices of 400 bytes",
            sps: "6764000bacd942c4effc020001d4400000fa40003a9823c50a6580",
            pps: "68ef8bcb",
            slice: "4107868ecd13111fddc2521e2e8a5c69c122412ea9e13f3e8cee9456433defd91094690719fa7acf",
            type: .p, firstMacroblock: 59, frameNumber: 1, idrPictureID: nil,
            picOrderCountLSB: 54, picOrderCountDeltaBottom: 0,
            qp: 28),
        SliceHeaderFixture(
            name: "weights and reordering",
            sps: "6764000bac52090b13bff00800075100000303e90000ea608f14298980",
            pps: "68e88e3cb22c",
            slice: "419e208e210fec9fae21789165877090dc8602fa9c4db749669896344e16a2fb8fb5833669c6c566",
            type: .b, firstMacroblock: 0, frameNumber: 2, idrPictureID: nil,
            picOrderCountLSB: 4, picOrderCountDeltaBottom: 0,
            qp: 31),
        SliceHeaderFixture(
            name: "weights and reordering",
            sps: "6764000bac52090b13bff00800075100000303e90000ea608f14298980",
            pps: "68e88e3cb22c",
            slice: "419e419b88efddc5b7efb4e5f1dbb9e60da09b8b9e62483bbbd82f51fc8a0692b8c6700685f02a46",
            type: .b, firstMacroblock: 0, frameNumber: 4, idrPictureID: nil,
            picOrderCountLSB: 12, picOrderCountDeltaBottom: 0,
            qp: 30),
        SliceHeaderFixture(
            name: "weights and reordering",
            sps: "6764000bac52090b13bff00800075100000303e90000ea608f14298980",
            pps: "68e88e3cb22c",
            slice: "019fee9951097fcb57c82b5be95cc9c61bedd582067c8eeec2bcce63a970ba833a8c818b4995ce88",
            type: .b, firstMacroblock: 0, frameNumber: 30, idrPictureID: nil,
            picOrderCountLSB: 116, picOrderCountDeltaBottom: 0,
            qp: 32),
        SliceHeaderFixture(
            name: "10 bits",
            sps: "676e000ba6cd942c4effc020001d4400000fa40003a9823c50a658",
            pps: "68ef89cb",
            slice: "019e634425ffbd75f175b68e308c588bd1b88bf332147f6a5dabc27c8d0856a2c1a1594d32da27e0",
            type: .b, firstMacroblock: 0, frameNumber: 3, idrPictureID: nil,
            picOrderCountLSB: 6, picOrderCountDeltaBottom: 0,
            qp: 37),
        SliceHeaderFixture(
            name: "open GOP, interlaced, 4 slices",
            sps: "67640015acd902cafcbff8040003a8800001f480007530701000f420003d09492601f1429960",
            pps: "68febcb0",
            slice: "41044236c156bfd2e39e1849c53b1f1db1e90b41f00719539bbad6180f49bf33ecf43374995a99eb",
            type: .i, firstMacroblock: 33, frameNumber: 11, idrPictureID: nil,
            picOrderCountLSB: 48, picOrderCountDeltaBottom: 1,
            qp: 27),
        SliceHeaderFixture(
            name: "open GOP, interlaced, 4 slices",
            sps: "67640015acd902cafcbff8040003a8800001f480007530701000f420003d09492601f1429960",
            pps: "68febcb0",
            slice: "219f8b1451727f5ac7d65d5a05cb595e9dd39b2d4c1cb4a1b4b47c2712f111fd30d5a788cc",
            type: .b, firstMacroblock: 0, frameNumber: 12, idrPictureID: nil,
            picOrderCountLSB: 44, picOrderCountDeltaBottom: 1,
            qp: 28),
        SliceHeaderFixture(
            name: "open GOP, interlaced, 4 slices",
            sps: "67640015acd902cafcbff8040003a8800001f480007530701000f420003d09492601f1429960",
            pps: "68febcb0",
            slice: "210447e2c5145c67f5ef27a20452957a6e5866791c9ad78fdcc70a1f267ab35380b8057e63057283",
            type: .b, firstMacroblock: 33, frameNumber: 12, idrPictureID: nil,
            picOrderCountLSB: 44, picOrderCountDeltaBottom: 1,
            qp: 32),
        SliceHeaderFixture(
            name: "Constrained Baseline",
            sps: "6742c00bda0b13bff00800075100000303e90000ea608f142aa0",
            pps: "68ce09c8",
            slice: "65888415f807843f340d46e99fdefef1c74912066391e2079f103ea3f0ec7fffd31f200b7e3705ff",
            type: .i, firstMacroblock: 0, frameNumber: 0, idrPictureID: 0,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 0,
            qp: 33),
        SliceHeaderFixture(
            name: "Constrained Baseline",
            sps: "6742c00bda0b13bff00800075100000303e90000ea608f142aa0",
            pps: "68ce09c8",
            slice: "419a205732ebdf2fd7ff11adc850b8a109ebc42a702166b279bc95c5607fd2ae96b107b62158b4b0",
            type: .p, firstMacroblock: 0, frameNumber: 1, idrPictureID: nil,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 0,
            qp: 33),
        SliceHeaderFixture(
            name: "Constrained Baseline",
            sps: "6742c00bda0b13bff00800075100000303e90000ea608f142aa0",
            pps: "68ce09c8",
            slice: "419a2047e33dfffe27cdf97de27df9e16d960df2d4cbf13c91b3b5311e09117c21",
            type: .p, firstMacroblock: 0, frameNumber: 1, idrPictureID: nil,
            picOrderCountLSB: 0, picOrderCountDeltaBottom: 0,
            qp: 32),
    ]
}
