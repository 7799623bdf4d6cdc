import Testing

@testable import Nalu

@Suite struct MultiPassTests {
    @Test(arguments: [true, false])
    func aFinalPassThatFailsBeginsAgain(isKnownAtTheBeginning: Bool) throws {
        var passes = try MultiPass(
            MultiPassStorage(data: PassDataTests.data(PassDataTests.statistics)), width: 64, height: 48)
        try passes.checkBegin()
        passes.begin(isFinal: isKnownAtTheBeginning, firstNumber: 1)
        for number in 0..<2 {
            passes.accept(MediaTime(value: Int64(number), timescale: 30), duration: .invalid)
            passes.comeBack(UInt64(number + 1), bits: number == 0 ? nil : 800, isKeyFrame: number == 0)
        }
        passes.stopTaking()
        #expect(throws: NaluError.self) { try passes.end(askedRate: 1000, isFinal: true) }
        try passes.checkBegin()
        passes.begin(isFinal: true, firstNumber: 3)
        for number in 0..<2 {
            passes.accept(MediaTime(value: Int64(number), timescale: 30), duration: .invalid)
            passes.comeBack(UInt64(number + 3), bits: 800, isKeyFrame: number == 0)
        }
        passes.stopTaking()
        try passes.end(askedRate: 1000, isFinal: true)
        #expect(throws: NaluError.self) { try passes.checkBegin() }
    }
}
