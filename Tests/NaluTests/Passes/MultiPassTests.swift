import Testing

@testable import Nalu

@Suite struct MultiPassTests {
    private static var settings: RateSettings {
        var settings = RateSettings()
        settings.averageBitRate = 1000
        return settings
    }

    /// A frame dropped because of the limits does not make the pass fail.
    @Test func aPassWithDroppedFramesCounts() throws {
        var passes = try MultiPass(
            MultiPassStorage(data: PassDataTests.data(PassDataTests.statistics)), width: 64, height: 48)
        passes.begin(isFinal: true, at: nil, firstNumber: 1)
        for number in 0..<2 {
            passes.accept(MediaTime(value: Int64(number), timescale: 30), duration: .invalid)
            passes.comeBack(
                UInt64(number + 1), bits: number == 0 ? 800 : nil, isKeyFrame: number == 0, wasDropped: true)
        }
        passes.stopTaking()
        try passes.end(Self.settings, nil, isFinal: true)
        #expect(throws: NaluError.self) { try passes.checkBegin() }
    }

    @Test(arguments: [true, false])
    func aFailedFinalPassCanBeginAgain(isKnownAtTheBeginning: Bool) throws {
        var passes = try MultiPass(
            MultiPassStorage(data: PassDataTests.data(PassDataTests.statistics)), width: 64, height: 48)
        try passes.checkBegin()
        passes.begin(isFinal: isKnownAtTheBeginning, at: nil, firstNumber: 1)
        for number in 0..<2 {
            passes.accept(MediaTime(value: Int64(number), timescale: 30), duration: .invalid)
            passes.comeBack(
                UInt64(number + 1), bits: number == 0 ? nil : 800, isKeyFrame: number == 0, wasDropped: false)
        }
        passes.stopTaking()
        #expect(throws: NaluError.self) { try passes.end(Self.settings, nil, isFinal: true) }
        try passes.checkBegin()
        passes.begin(isFinal: true, at: nil, firstNumber: 3)
        for number in 0..<2 {
            passes.accept(MediaTime(value: Int64(number), timescale: 30), duration: .invalid)
            passes.comeBack(UInt64(number + 3), bits: 800, isKeyFrame: number == 0, wasDropped: false)
        }
        passes.stopTaking()
        try passes.end(Self.settings, nil, isFinal: true)
        #expect(throws: NaluError.self) { try passes.checkBegin() }
    }
}
