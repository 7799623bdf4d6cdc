import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct SEIMessageTests {
    private func unit(_ messages: [(type: Int, payload: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = [0x06]
        for message in messages {
            for number in [message.type, message.payload.count] {
                bytes += [UInt8](repeating: 255, count: number / 255)
                bytes.append(UInt8(number % 255))
            }
            bytes += message.payload
        }
        return EmulationPrevention.inserting(into: bytes + [0x80])
    }

    private func payload(_ write: (inout BitWriter) -> Void) -> [UInt8] {
        var writer = BitWriter()
        write(&writer)
        if writer.count % 8 != 0 { writer.appendTrailingBits() }
        return writer.bytes
    }

    private func elements(
        _ type: Int, _ payload: [UInt8], _ sequence: SequenceParameterSet? = nil
    ) throws -> [SyntaxElement] {
        let message = try #require(SEIMessage.messages(of: unit([(type, payload)])).first)
        #expect(message.payload == payload)
        return message.elements { _ in sequence }
    }

    @Test func allMessagesOfANALUnitAreRead() {
        let long = [UInt8](repeating: 0, count: 600)
        let messages = SEIMessage.messages(of: unit([(6, [0x84]), (300, long), (147, [18])]))
        #expect(messages.map(\.type.rawValue) == [6, 300, 147])
        #expect(messages.map(\.size) == [1, 600, 1])
        #expect(messages.map(\.payload) == [[0x84], long, [18]])
        #expect(messages.map(\.type.name) == ["recovery_point", "reserved", "alternative_transfer_characteristics"])
    }

    @Test func messagesOfATruncatedNALUnitAreReadAsFarAsPossible() {
        let whole = unit([(5, [UInt8](repeating: 7, count: 100))])
        let messages = SEIMessage.messages(of: [UInt8](whole.prefix(40)))
        #expect(messages.map(\.size) == [100])
        #expect(messages.first?.payload.count == 37)
        #expect(SEIMessage.messages(of: [0x06]).isEmpty)
        #expect(SEIMessage.messages(of: []).isEmpty)
        #expect(SEIMessage.messages(of: [0x06, 255, 255, 255]).isEmpty)
        #expect(SEIMessage.messages(of: [0x67, 6, 1, 0x84, 0x80]).isEmpty)
    }

    @Test func recoveryPointMessagesAreRead() throws {
        let read = try elements(
            6,
            payload {
                $0.append(unsigned: 12)
                $0.append(true)
                $0.append(false)
                $0.append(2, width: 2)
            })
        #expect(
            read.map(\.name) == [
                "recovery_frame_cnt", "exact_match_flag", "broken_link_flag", "changing_slice_group_idc",
            ])
        #expect(read.map(\.value) == [12, 1, 0, 2])
    }

    @Test func pictureTimingIsReadWithItsParameterSet() throws {
        var sequence = SequenceParameterSet()
        sequence.hasPictureStructure = true
        sequence.nalHRD = HRDParameters(
            schedules: [.init(bitRate: 1, bufferSize: 1, isConstant: false)], initialRemovalDelayBits: 19,
            removalDelayBits: 13, outputDelayBits: 7, timeOffsetBits: 5)
        let timing = try elements(
            1,
            payload {
                $0.append(8000, width: 13)
                $0.append(100, width: 7)
                $0.append(3, width: 4)  // two clock timestamps
                $0.append(false)
                $0.append(true)
                $0.append(1, width: 2)
                $0.append(false)
                $0.append(4, width: 5)
                $0.append(false)  // full_timestamp_flag
                $0.append(false)
                $0.append(false)
                $0.append(24, width: 8)
                $0.append(true)
                $0.append(59, width: 6)
                $0.append(true)
                $0.append(58, width: 6)
                $0.append(false)  // hours_flag
                $0.append(0x1F, width: 5)
            }, sequence)
        let values = Dictionary(timing.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(values["cpb_removal_delay"] == 8000)
        #expect(values["dpb_output_delay"] == 100)
        #expect(values["pic_struct"] == 3)
        #expect(timing.filter { $0.name == "clock_timestamp_flag" }.map(\.value) == [0, 1])
        #expect(values["n_frames"] == 24)
        #expect(values["seconds_value"] == 59)
        #expect(values["minutes_value"] == 58)
        #expect(values["hours_flag"] == 0)
        #expect(values["time_offset"] == -1)

        let period = try elements(
            0,
            payload {
                $0.append(unsigned: 0)
                $0.append(81000, width: 19)
                $0.append(9000, width: 19)
            }, sequence)
        #expect(period.map(\.value) == [0, 81000, 9000])
    }

    @Test func lightLevelAndOrientationMessagesAreRead() throws {
        let light = try elements(144, [0x03, 0xE8, 0x01, 0x90])
        #expect(light.map(\.value) == [1000, 400])
        let display = try elements(137, (0..<24).map { UInt8($0) })
        #expect(display.count == 10)
        #expect(display.last == SyntaxElement(name: "min_display_mastering_luminance", value: 0x1415_1617))
        let turned = try elements(
            47,
            payload {
                $0.append(0b001, width: 3)
                $0.append(16384, width: 16)
                $0.append(unsigned: 1)
                $0.append(false)
            })
        #expect(turned.map(\.value) == [0, 0, 1, 16384, 1, 0])
    }

    @Test func truncatedPayloadsAreNotRead() throws {
        #expect(try elements(6, [0x00]).isEmpty)
        #expect(try elements(137, [1, 2, 3]).isEmpty)
        #expect(try elements(99, [1, 2, 3]).isEmpty)
    }

    @Test func encoderTextIsRead() throws {
        let uuid = TestBytes.hex("dc45e9bde6d948b7962cd820d923eeef")
        let message = try #require(
            SEIMessage.messages(of: unit([(5, uuid + Array("x264 - core 164".utf8) + [0])])).first)
        #expect(message.userDataUUID == "dc45e9bd-e6d9-48b7-962c-d820d923eeef")
        #expect(message.userDataText == "x264 - core 164")
        let binary = try #require(SEIMessage.messages(of: unit([(5, uuid + [0x1B, 0x5B])])).first)
        #expect(binary.userDataText == nil)
        #expect(SEIMessage.messages(of: unit([(5, [1, 2])])).first?.userDataUUID == nil)
    }
}
