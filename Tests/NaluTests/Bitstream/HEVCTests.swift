import Nalu
import Testing

/// The Swift module's H.265 parser. Tests/c compares its results with FFmpeg's.
@Suite struct HEVCTests {
    @Test func h265ParameterSetsDescribeTheStream() throws {
        let format = try FormatDescription(hevcParameterSets: [HEVCFixture.pps, HEVCFixture.sps, HEVCFixture.vps])
        #expect(format.codec == FormatDescription.hevc)
        #expect((format.width, format.height) == (172, 140))
        #expect(format.parameterSets == [HEVCFixture.vps, HEVCFixture.sps, HEVCFixture.pps])
        #expect(format.avcC == nil && format.avcCBytes == nil)
        #expect(format.hevcSequence?.profileTierLevel.levelIDC == 60)
        #expect(format.sequence.frameRate == 30000.0 / 1001)
        #expect(format.description == "hvc1 172x140, profile 1, level 60")
        let read = try FormatDescription(hvcC: try #require(format.hvcCBytes) + [1])
        #expect(read == format && read.hashValue == format.hashValue)
        #expect(read.hvcCBytes == format.hvcCBytes)
        #expect(
            try format
                != FormatDescription(
                    hevcParameterSets: [HEVCFixture.vps, HEVCFixture.sps, HEVCFixture.pps], lengthSize: 1))
    }

    /// The elements of a truncated NAL unit are the first elements of the complete one.
    @Test(arguments: [HEVCFixture.vps, HEVCFixture.sps, HEVCFixture.pps])
    func everySyntaxElementIsListed(_ unit: [UInt8]) throws {
        func list(_ unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
            switch HEVCUnitHeader(of: unit)?.type {
            case .videoParameterSet: HEVCVideoParameterSet.elements(of: unit)
            case .sequenceParameterSet: HEVCSequenceParameterSet.elements(of: unit)
            default: HEVCPictureParameterSet.elements(of: unit)
            }
        }
        let (elements, error) = list(unit)
        #expect(error == nil && elements.count > 20)
        for count in 0..<unit.count - 1 {
            let part = list(Array(unit.prefix(count)))
            #expect(part.error?.status == .badData)
            // The last set bit counts as the stop bit, so only the elements before it are equal.
            #expect(part.elements.count <= elements.count)
        }
        #expect(list([0x4E, 1, 0x80]).error?.status == .badData)
    }

    @Test func elementsAreListedUpToTheFirstError() throws {
        let elements = HEVCSequenceParameterSet.elements(of: HEVCFixture.sps).elements
        func value(_ name: String) -> Int? { elements.first { $0.name == name }?.value }
        #expect(value("pic_width_in_luma_samples") == 176)
        #expect(value("general_level_idc") == 60)
        #expect(value("vui_time_scale") == 30000)
        #expect(elements.count { $0.name == "general_profile_compatibility_flag" } == 32)
        #expect(elements.last?.name == "sps_extension_present_flag")
    }

    @Test func sliceHeadersAreRead() throws {
        let sequence = try HEVCSequenceParameterSet(parsing: HEVCFixture.sps)
        let picture = try HEVCPictureParameterSet(parsing: HEVCFixture.pps)
        func header(_ text: String) throws -> HEVCSliceHeader {
            try HEVCSliceHeader(
                parsing: TestBytes.hex(text), pictureParameterSet: picture, sequenceParameterSet: sequence)
        }
        let idr = try header("2601ac80")
        #expect(idr.isFirstOfPicture && idr.type == .i && idr.picOrderCountLSB == 0 && idr.unitHeader.type.isIDR)
        // The slice has its own reference set, which is empty.
        let predicted = try header("0201d08380")
        #expect(predicted.type == .p && predicted.picOrderCountLSB == 16 && !predicted.unitHeader.type.isRandomAccess)
        for text in ["", "26", "2601", "4401c172b46240", "a601ac80", "2600ac80", "0201d0", "0201d080"] {
            #expect(throws: NaluError.self) { try header(text) }
        }
    }

    @Test func pictureOrderCountsWrap() throws {
        let sequence = try HEVCSequenceParameterSet(parsing: HEVCFixture.sps)
        let picture = try HEVCPictureParameterSet(parsing: HEVCFixture.pps)
        var counter = HEVCPictureOrderCounter()
        // P pictures with the orders 0, 100, 200, 300, then a leading picture before the last, which has no influence
        // on later orders.
        for (type, order) in [(1, 0), (1, 100), (1, 200), (1, 300), (9, 299), (0, 256), (1, 400)] {
            let bits = 0b1_1010_0000_0000 | (order & 255)
            let unit = [UInt8(type) << 1, 1, UInt8(bits >> 5), UInt8(truncatingIfNeeded: bits << 3) | 3, 0x80]
            let slice = try HEVCSliceHeader(
                parsing: unit, pictureParameterSet: picture, sequenceParameterSet: sequence)
            #expect(counter.count(of: slice, in: sequence, restarts: false) == order)
        }
    }

    @Test func truncatedNALUnitsAreRefused() {
        for length in 0..<HEVCFixture.sps.count {
            #expect(throws: NaluError.self) {
                try HEVCSequenceParameterSet(parsing: [UInt8](HEVCFixture.sps.prefix(length)))
            }
        }
        for length in 0..<6 {
            #expect(throws: NaluError.self) {
                try HEVCPictureParameterSet(parsing: [UInt8](HEVCFixture.pps.prefix(length)))
            }
            #expect(throws: NaluError.self) {
                try HEVCVideoParameterSet(parsing: [UInt8](HEVCFixture.vps.prefix(length)))
            }
        }
    }
}
