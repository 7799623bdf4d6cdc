import Testing

@testable import NaluBitstream

/// Pictures made from headers only. Tests/c tests pictures of encoders.
@Suite struct RPSLossDetectorTests {
    private struct Stream {
        var detector = RPSLossDetector()
        let sequence: StoredParameterSet<HEVCSequenceParameterSet>
        let picture: HEVCPictureParameterSet

        init(reorders: Bool = true) throws {
            let sps = TestBytes.hex(
                "42010101600000030090000003000003003ca016202477796566924cafffc080b0df69c2000007d20000ea6010")
            let pps = TestBytes.hex("4401c172b46240")
            var content = try HEVCSequenceParameterSet(parsing: sps)
            content.hasLongTermReferences = true
            if !reorders { content.reorderDepth = 0 }
            sequence = StoredParameterSet(bytes: sps, content: content)
            picture = try HEVCPictureParameterSet(parsing: pps)
        }

        /// Adds a picture. `used` and `kept` are the distances of pictures that it refers to and that it keeps for
        /// later; long-term pictures are named by the last 8 bits of their order.
        mutating func look(
            _ type: HEVCUnitType, _ order: Int, at time: Int64, used: [Int] = [], kept: [Int] = [],
            longTerm: [Int] = [],
            cycle: Int? = nil, layer: Int = 0
        ) throws -> LossFinding {
            var writer = BitWriter()
            writer.append(UInt32(type.rawValue) << 9 | UInt32(layer + 1), width: 16)
            writer.append(true)
            if type.isRandomAccess { writer.append(false) }
            writer.append(unsigned: 0)
            writer.append(unsigned: type.isRandomAccess ? 2 : 1)
            if !type.isIDR {
                writer.append(UInt32(order & 255), width: 8)
                writer.append(false)
                let all = used + kept
                let sides = [all.filter { $0 < 0 }.sorted(by: >), all.filter { $0 > 0 }.sorted()]
                for side in sides { writer.append(unsigned: UInt32(side.count)) }
                for side in sides {
                    var last = 0
                    for distance in side {
                        writer.append(unsigned: UInt32(abs(distance - last) - 1))
                        writer.append(used.contains(distance))
                        last = distance
                    }
                }
                writer.append(unsigned: UInt32(longTerm.count))
                for lsb in longTerm {
                    writer.append(UInt32(lsb), width: 8)
                    writer.append(true)
                    writer.append(cycle != nil)
                    if let cycle { writer.append(unsigned: UInt32(cycle)) }
                }
            }
            writer.appendTrailingBits()
            let unit = EmulationPrevention.inserting(into: writer.bytes)
            let header = try HEVCSliceHeader(
                parsing: unit, pictureParameterSet: picture, sequenceParameterSet: sequence.content)
            let times = PictureTimes(presentation: MediaTime(value: time, timescale: 25), duration: .invalid)
            return detector.look(at: HEVCSlice(header: header, sequence: sequence), at: times)
        }
    }

    @Test func onlyUsedReferencesCountAsMissing() throws {
        var stream = try Stream()
        #expect(try stream.look(.idr, 0, at: 0) == .nothing)
        // Pictures 1 and 2 are lost. While they are only kept, nothing is reported. Their first use is reported once.
        #expect(try stream.look(.trailing, 3, at: 3, used: [-3], kept: [-1, -2]) == .nothing)
        #expect(try stream.look(.trailing, 4, at: 4, used: [-1], kept: [-2, -4]) == .nothing)
        #expect(try stream.look(.trailing, 5, at: 5, used: [-3, -1, -5]) == .referenceMissing)
        #expect(try stream.look(.trailing, 6, at: 6, used: [-4, -1, -6]) == .nothing)
        // A picture that a set omits is removed.
        #expect(try stream.look(.trailing, 7, at: 7, used: [-1]) == .nothing)
        #expect(try stream.look(.trailing, 8, at: 8, used: [-8]) == .referenceMissing)
    }

    @Test func longTermReferencesAreIdentifiedByTheirLowBits() throws {
        var stream = try Stream()
        #expect(try stream.look(.idr, 0, at: 0) == .nothing)
        var order = 0
        while order < 600 {
            order += 100
            #expect(try stream.look(.trailing, order, at: Int64(order), used: [-100], longTerm: [0]) == .nothing)
        }
        // 600 is coded as 88 in its third cycle.
        #expect(try stream.look(.trailing, 601, at: 601, used: [-1], longTerm: [0], cycle: 2) == .nothing)
        #expect(try stream.look(.trailing, 602, at: 602, used: [-1], longTerm: [0], cycle: 1) == .referenceMissing)
        #expect(try stream.look(.trailing, 603, at: 603, used: [-1], longTerm: [9]) == .referenceMissing)
        #expect(try stream.look(.trailing, 604, at: 604, used: [-1], longTerm: [9]) == .nothing)
    }

    @Test func onlyLeadingPicturesAreLeftOut() throws {
        var stream = try Stream()
        #expect(try stream.look(.cleanRandomAccess, 10, at: 10) == .nothing)
        #expect(try stream.look(.skippedLeading, 8, at: 8, used: [-4, 2]) == .leadingPicture)
        #expect(try stream.look(.skippedLeadingNonReference, 9, at: 9, used: [1]) == .leadingPicture)
        #expect(try stream.look(.trailing, 14, at: 14, used: [-4]) == .nothing)
        // Picture 18 is lost. Pictures before the next CRA picture that refer to it are reported, and pictures that
        // refer to those.
        #expect(try stream.look(.cleanRandomAccess, 22, at: 22, kept: [-4, -8]) == .nothing)
        #expect(try stream.look(.skippedLeading, 20, at: 20, used: [-2, 2], kept: [-6]) == .leadingPicture)
        #expect(try stream.look(.skippedLeadingNonReference, 19, at: 19, used: [1, 3], kept: [-5]) == .leadingPicture)
        #expect(try stream.look(.skippedLeadingNonReference, 21, at: 21, used: [-7, 1]) == .nothing)
        #expect(try stream.look(.trailing, 26, at: 26, used: [-4]) == .nothing)
        // After the end of a sequence or a broken link, leading pictures have no references.
        stream.detector.endSequence()
        #expect(try stream.look(.cleanRandomAccess, 30, at: 30) == .nothing)
        #expect(try stream.look(.skippedLeading, 29, at: 29, used: [-3, 1]) == .leadingPicture)
        #expect(try stream.look(.trailing, 34, at: 34, used: [-4]) == .nothing)
        #expect(try stream.look(.brokenLink, 38, at: 38) == .nothing)
        #expect(try stream.look(.skippedLeading, 37, at: 37, used: [-3, 1]) == .leadingPicture)
        #expect(try stream.look(.trailing, 42, at: 42, used: [-4]) == .nothing)
    }

    @Test func afterALossLeadingPicturesMayNotReferToEarlierOnes() throws {
        var stream = try Stream()
        #expect(try stream.look(.idr, 0, at: 0) == .nothing)
        #expect(try stream.look(.trailing, 2, at: 2, used: [-1, -2]) == .referenceMissing)
        #expect(try stream.look(.cleanRandomAccess, 6, at: 6, kept: [-4]) == .nothing)
        #expect(try stream.look(.skippedLeading, 4, at: 4, used: [-2, 2]) == .leadingPicture)
        #expect(try stream.look(.trailing, 8, at: 8, used: [-2]) == .nothing)
    }

    /// An IDR picture is lost, and all later references have the numbers of pictures before it.
    @Test func restartsAreFoundByTheTimes() throws {
        var stream = try Stream(reorders: false)
        #expect(try stream.look(.idr, 0, at: 0) == .nothing)
        #expect(try stream.look(.trailing, 1, at: 1, used: [-1]) == .nothing)
        #expect(try stream.look(.trailing, 2, at: 2, used: [-1, -2]) == .nothing)
        #expect(try stream.look(.trailing, 1, at: 4, used: [-1]) == .referenceMissing)
        #expect(try stream.look(.trailing, 2, at: 5, used: [-1, -2]) == .nothing)
        // A leading picture of a lost IDR picture is left out. A picture after it is reported.
        #expect(try stream.look(.decodableLeading, -1, at: 8, used: [1]) == .leadingPicture)
        #expect(try stream.look(.trailing, 1, at: 10, used: [-1]) == .referenceMissing)
        #expect(try stream.look(.trailing, 2, at: 11, used: [-1, -2]) == .nothing)
    }

    /// The times of a stream that can reorder may be decode times. They count only after the times have once decreased
    /// with the order.
    @Test func timesOfReorderedStreamsCountAfterTheyHaveDecreased() throws {
        for isReordered in [false, true] {
            var stream = try Stream()
            #expect(try stream.look(.idr, 0, at: 0) == .nothing)
            #expect(try stream.look(.trailing, 2, at: 2, used: [-2]) == .nothing)
            if isReordered { #expect(try stream.look(.trailing, 1, at: 1, used: [-1, 1], kept: []) == .nothing) }
            let expected: LossFinding = isReordered ? .referenceMissing : .nothing
            #expect(try stream.look(.trailing, 2, at: 6, used: [-2]) == expected)
        }
    }
}
