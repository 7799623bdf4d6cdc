import Nalu
import Testing

@Suite struct LengthPrefixedTests {
    @Test func aBufferIsUnchangedIfLaterDataAreCorrupt() {
        let data: [UInt8] = [1, 0x65, 9, 0x41]
        var needed = 77
        var output = [UInt8](repeating: 0xEE, count: 100)
        data.withUnsafeBytes { input in
            let status = output.withUnsafeMutableBytes { buffer in
                TestBytes.status { () throws(NaluError) in
                    try LengthPrefixed.toAnnexB(input, lengthSize: 1, into: buffer, needed: &needed)
                }
            }
            #expect(status == .badData)
        }
        #expect(needed == 77)
        #expect(output == [UInt8](repeating: 0xEE, count: 100))
    }

    @Test func theNALUnitHeaderIsRead() {
        let header = NALUnitHeader(rawValue: 0x65)
        #expect(header.type == .sliceIDR)
        #expect(header.referenceIDC == 3)
        #expect(header.isReference)
        #expect(!header.hasForbiddenBit)
        #expect(header.type.isSlice)
        #expect(!NALUnitHeader(rawValue: 0x06).isReference)
        #expect(NALUnitHeader(rawValue: 0x87).hasForbiddenBit)
        #expect(NALUnitHeader(rawValue: 0xFF).type.rawValue == 31)
    }
}
