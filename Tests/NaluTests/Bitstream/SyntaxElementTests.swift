import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SyntaxElementTests {
    private func sequence(_ unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe unit.withUnsafeBytes { unsafe SequenceParameterSet.elements(of: $0) }
    }

    private func picture(_ unit: [UInt8], _ format: Int = 1) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe unit.withUnsafeBytes { unsafe PictureParameterSet.elements(of: $0, chromaFormatIDC: format) }
    }

    @Test func everyElementOfAnSPSIsNamed() {
        let (elements, error) = sequence(SequenceParameterSetTests.make(profile: 66, flags: 0xC2, level: 30))
        #expect(error == nil)
        #expect(
            elements.map { "\($0.name) \($0.value)" } == [
                "profile_idc 66", "constraint_set0_flag 1", "constraint_set1_flag 1", "constraint_set2_flag 0",
                "constraint_set3_flag 0", "constraint_set4_flag 0", "constraint_set5_flag 0", "reserved_zero_2bits 2",
                "level_idc 30", "seq_parameter_set_id 0", "log2_max_frame_num_minus4 0", "pic_order_cnt_type 2",
                "max_num_ref_frames 1", "gaps_in_frame_num_value_allowed_flag 0", "pic_width_in_mbs_minus1 19",
                "pic_height_in_map_units_minus1 14", "frame_mbs_only_flag 1", "direct_8x8_inference_flag 1",
                "frame_cropping_flag 0", "vui_parameters_present_flag 0",
            ])
    }

    @Test(arguments: ParameterSetFixture.all) func elementsAreReadUpToTheFirstError(fixture: ParameterSetFixture) throws
    {
        let whole = sequence(fixture.sps)
        #expect(whole.error == nil)
        let parsed = try SequenceParameterSet(parsing: fixture.sps)
        let values = Dictionary(whole.elements.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        #expect(values["pic_width_in_mbs_minus1"] == parsed.codedWidth / 16 - 1)
        #expect(values["time_scale"].map { UInt32($0) } == parsed.timeScale)
        for length in 0..<fixture.sps.count {
            let (elements, error) = sequence([UInt8](fixture.sps.prefix(length)))
            #expect(error?.status == .badData)
            #expect(whole.elements.starts(with: elements))
        }
        let set = picture(fixture.pps, parsed.chromaFormatIDC)
        #expect(set.error == nil)
        #expect(set.elements.first?.name == "pic_parameter_set_id")
        for length in 0..<fixture.pps.count {
            #expect(picture([UInt8](fixture.pps.prefix(length))).elements.count <= set.elements.count)
        }
    }

    @Test func sliceGroupsOfEveryTypeAreRead() {
        for kind: UInt32 in 0...6 {
            var writer = BitWriter()
            writer.append(0x68, width: 8)
            for number: UInt32 in [0, 0] { writer.append(unsigned: number) }
            writer.append(0, width: 2)
            writer.append(unsigned: kind >= 3 && kind <= 5 ? 1 : 2)
            writer.append(unsigned: kind)
            switch kind {
            case 0: for number: UInt32 in [3, 4, 5] { writer.append(unsigned: number) }
            case 2: for number: UInt32 in [1, 2, 3, 4] { writer.append(unsigned: number) }
            case 3...5:
                writer.append(true)
                writer.append(unsigned: 8)
            case 6:
                writer.append(unsigned: 3)
                writer.append(0b00_01_10_01, width: 8)
            default: break
            }
            for number: UInt32 in [0, 0] { writer.append(unsigned: number) }
            writer.append(0, width: 3)
            for _ in 0..<3 { writer.append(signed: 0) }
            writer.append(0b101, width: 3)
            writer.appendTrailingBits()
            let (elements, error) = picture(EmulationPrevention.inserting(into: writer.bytes))
            #expect(error == nil)
            #expect(elements.last == SyntaxElement(name: "redundant_pic_cnt_present_flag", value: 1))
            if kind == 6 {
                #expect(elements.filter { $0.name == "slice_group_id" }.map(\.value) == [0, 1, 2, 1])
            }
        }
    }
}
