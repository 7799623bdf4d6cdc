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
    /// Slices of one stream. The columns of a slice are its bytes, type, first_mb_in_slice, frame_num, idr_pic_id,
    /// pic_order_cnt_lsb, delta_pic_order_cnt_bottom and QP.
    private static func stream(
        _ name: String, sps: String, pps: String,
        _ slices: [(String, SliceType, Int, Int, Int?, Int, Int, Int)]
    ) -> [SliceHeaderFixture] {
        slices.map {
            SliceHeaderFixture(
                name: name, sps: sps, pps: pps, slice: $0.0, type: $0.1, firstMacroblock: $0.2, frameNumber: $0.3,
                idrPictureID: $0.4, picOrderCountLSB: $0.5, picOrderCountDeltaBottom: $0.6, qp: $0.7)
        }
    }

    static let all: [SliceHeaderFixture] = [
        stream(
            "P and B pyramid, 640x272", sps: "67640015acd940a023b011000003000100000300328f162d96", pps: "68ef89cb",
            [
                (
                    "658884005f7dfa948bffc1fa2e1c71c542ee3a9268fddcf1c83755694eb759910b5fc9a0913539b9",
                    .i, 0, 0, 0, 0, 0, 23
                ),
                (
                    "419a441889ff00a987a618ff3c091275d6104ce5655f54a93dc196b7837c4e7fb3c6a22e0fe74712",
                    .p, 0, 2, nil, 8, 0, 24
                ),
                (
                    "419a66194f3fc35600f4a42e29c360d353f5c4b3baff4e71a6e31db59b2357e180cfe1c1d0adea8a",
                    .p, 0, 3, nil, 12, 0, 25
                ),
                (
                    "419aac1897fffee6f275ffffbb6f7edbe189b79a15ea311cc379d350c5408bd4cf824b258d2d1846",
                    .p, 0, 5, nil, 24, 0, 26
                ),
            ]),
        stream(
            "interlaced, CABAC", sps: "67640015acd942cafcbff8040003a8800001f4800075304f8a14cb", pps: "68fe89cb",
            [
                (
                    "65888202047fc8b9e2509fcb2a5995c8e7ab6abe3538e18d89c8e29abc76bfb6eb787f948f8b3856",
                    .i, 0, 0, 0, 0, 1, 32
                ),
                (
                    "419a221088ff30e51e321a78f3de1f450072dc5865c88720f9a21bb92b7cff19b317ce243b856f8e",
                    .p, 0, 1, nil, 8, 1, 32
                ),
                (
                    "019e6194421f74cb885d1489bfbaba418cfa2e02fe8accce3e42784f0555b017e4fa556a624b4c81",
                    .b, 0, 3, nil, 6, 1, 36
                ),
                (
                    "419a641344447f2f163dfb45e71e2335b9a0cab3d52a8f8435600e1d834afd92958e17767b701aca",
                    .p, 0, 3, nil, 16, 1, 32
                ),
            ]),
        stream(
            "slices of 400 bytes", sps: "6764000bacd942c4effc020001d4400000fa40003a9823c50a6580", pps: "68ef8bcb",
            [
                (
                    "650b888400dfdae39df40d547811f9252dd5cdb7e07350118bd75b5175cb6f4a2544e6d7e5d89f80",
                    .i, 22, 0, 0, 0, 0, 27
                ),
                (
                    "4107c688c74888ffde0d9d40b03c3e2a96c158ebaa753ffb053e5b42d8c99c3408e0df0fa3f8ef14",
                    .p, 61, 1, nil, 6, 0, 28
                ),
                (
                    "4107868ecd13111fddc2521e2e8a5c69c122412ea9e13f3e8cee9456433defd91094690719fa7acf",
                    .p, 59, 1, nil, 54, 0, 28
                ),
            ]),
        stream(
            "weights and reordering", sps: "6764000bac52090b13bff00800075100000303e90000ea608f14298980",
            pps: "68e88e3cb22c",
            [
                (
                    "419e208e210fec9fae21789165877090dc8602fa9c4db749669896344e16a2fb8fb5833669c6c566",
                    .b, 0, 2, nil, 4, 0, 31
                ),
                (
                    "419e419b88efddc5b7efb4e5f1dbb9e60da09b8b9e62483bbbd82f51fc8a0692b8c6700685f02a46",
                    .b, 0, 4, nil, 12, 0, 30
                ),
                (
                    "019fee9951097fcb57c82b5be95cc9c61bedd582067c8eeec2bcce63a970ba833a8c818b4995ce88",
                    .b, 0, 30, nil, 116, 0, 32
                ),
            ]),
        stream(
            "10 bits", sps: "676e000ba6cd942c4effc020001d4400000fa40003a9823c50a658", pps: "68ef89cb",
            [
                (
                    "019e634425ffbd75f175b68e308c588bd1b88bf332147f6a5dabc27c8d0856a2c1a1594d32da27e0",
                    .b, 0, 3, nil, 6, 0, 37
                )
            ]),
        stream(
            "open GOP, interlaced, 4 slices",
            sps: "67640015acd902cafcbff8040003a8800001f480007530701000f420003d09492601f1429960",
            pps: "68febcb0",
            [
                (
                    "41044236c156bfd2e39e1849c53b1f1db1e90b41f00719539bbad6180f49bf33ecf43374995a99eb",
                    .i, 33, 11, nil, 48, 1, 27
                ),
                (
                    "219f8b1451727f5ac7d65d5a05cb595e9dd39b2d4c1cb4a1b4b47c2712f111fd30d5a788cc",
                    .b, 0, 12, nil, 44, 1, 28
                ),
                (
                    "210447e2c5145c67f5ef27a20452957a6e5866791c9ad78fdcc70a1f267ab35380b8057e63057283",
                    .b, 33, 12, nil, 44, 1, 32
                ),
            ]),
        stream(
            "Constrained Baseline", sps: "6742c00bda0b13bff00800075100000303e90000ea608f142aa0", pps: "68ce09c8",
            [
                (
                    "65888415f807843f340d46e99fdefef1c74912066391e2079f103ea3f0ec7fffd31f200b7e3705ff",
                    .i, 0, 0, 0, 0, 0, 33
                ),
                (
                    "419a205732ebdf2fd7ff11adc850b8a109ebc42a702166b279bc95c5607fd2ae96b107b62158b4b0",
                    .p, 0, 1, nil, 0, 0, 33
                ),
                (
                    "419a2047e33dfffe27cdf97de27df9e16d960df2d4cbf13c91b3b5311e09117c21",
                    .p, 0, 1, nil, 0, 0, 32
                ),
            ]),
    ].flatMap { $0 }
}
