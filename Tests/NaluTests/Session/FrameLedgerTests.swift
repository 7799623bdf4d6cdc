import Testing

@testable import Nalu

/// The accepted frames that are not delivered yet.
@Suite struct FrameLedgerTests {
    private static func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 10) }

    @Test func framesAreNumberedInTheOrderTheyAreAccepted() {
        var ledger = FrameLedger()
        for number in UInt64(0)..<200 {
            #expect(ledger.accept(Self.time(Int64(number))) == number)
        }
        #expect(ledger.accepted == 200 && ledger.pending == 200 && ledger.oldest == 0)
    }

    @Test func theOldestFrameIsTheFirstPendingOne() {
        var random = TestRandom(seed: 7)
        for _ in 0..<20 {
            var ledger = FrameLedger()
            for number in Int64(0)..<100 { _ = ledger.accept(Self.time(number)) }
            var left = Set(0..<UInt64(100))
            for number in (0..<UInt64(100)).shuffled(using: &random) {
                ledger.comeBack(number)
                left.remove(number)
                #expect(ledger.oldest == left.min() ?? 100)
                #expect(ledger.pending == left.count)
            }
        }
    }

    @Test func anAcceptedFrameIsDeliveredOnce() {
        var ledger = FrameLedger()
        for number in Int64(0)..<3 { _ = ledger.accept(Self.time(number)) }
        for number: UInt64 in [1, 1, 3, 99, .max] { ledger.comeBack(number) }
        #expect(ledger.pending == 2 && ledger.oldest == 0)
        ledger.comeBack(0)
        ledger.comeBack(0)
        ledger.comeBack(1)
        #expect(ledger.pending == 1 && ledger.oldest == 2)
    }

    @Test func acceptedUpToATimeIncludesIt() {
        var ledger = FrameLedger()
        for number in Int64(0)..<5 { _ = ledger.accept(Self.time(number * 10)) }
        #expect(ledger.accepted(upTo: Self.time(-1)) == 0)
        #expect(ledger.accepted(upTo: Self.time(0)) == 1)
        #expect(ledger.accepted(upTo: Self.time(29)) == 3)
        #expect(ledger.accepted(upTo: MediaTime(value: 3, timescale: 1)) == 4)
        #expect(ledger.accepted(upTo: Self.time(.max)) == 5)
        for number in [UInt64(0), 1, 3] { ledger.comeBack(number) }
        // Frames delivered before count as earlier than any time.
        #expect(ledger.accepted(upTo: Self.time(-1)) == 2)
        #expect(ledger.accepted(upTo: Self.time(30)) == 4)
    }
}
