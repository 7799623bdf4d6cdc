public import CoreFoundationTypes

extension CMBufferQueue {
    public typealias TriggerToken = CMBufferQueueTriggerToken

    /// The condition of a trigger. The constants in CMBufferQueue.h document them.
    public enum TriggerCondition: Equatable, Sendable {
        case whenDurationBecomesLessThan(CMTime)
        case whenDurationBecomesLessThanOrEqualTo(CMTime)
        case whenDurationBecomesGreaterThan(CMTime)
        case whenDurationBecomesGreaterThanOrEqualTo(CMTime)
        case whenMinPresentationTimeStampChanges
        case whenMaxPresentationTimeStampChanges
        case whenDataBecomesReady
        case whenEndOfDataReached
        case whenReset
        case whenBufferCountBecomesLessThan(CMItemCount)
        case whenBufferCountBecomesGreaterThan(CMItemCount)

        fileprivate enum Threshold {
            case time(CMTime)
            case count(CMItemCount)
        }

        fileprivate var parts: (CMBufferQueueTriggerCondition, Threshold) {
            switch self {
            case .whenDurationBecomesLessThan(let time):
                (kCMBufferQueueTrigger_WhenDurationBecomesLessThan, .time(time))
            case .whenDurationBecomesLessThanOrEqualTo(let time):
                (kCMBufferQueueTrigger_WhenDurationBecomesLessThanOrEqualTo, .time(time))
            case .whenDurationBecomesGreaterThan(let time):
                (kCMBufferQueueTrigger_WhenDurationBecomesGreaterThan, .time(time))
            case .whenDurationBecomesGreaterThanOrEqualTo(let time):
                (kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualTo, .time(time))
            case .whenMinPresentationTimeStampChanges:
                (kCMBufferQueueTrigger_WhenMinPresentationTimeStampChanges, .time(.invalid))
            case .whenMaxPresentationTimeStampChanges:
                (kCMBufferQueueTrigger_WhenMaxPresentationTimeStampChanges, .time(.invalid))
            case .whenDataBecomesReady: (kCMBufferQueueTrigger_WhenDataBecomesReady, .time(.invalid))
            case .whenEndOfDataReached: (kCMBufferQueueTrigger_WhenEndOfDataReached, .time(.invalid))
            case .whenReset: (kCMBufferQueueTrigger_WhenReset, .time(.invalid))
            case .whenBufferCountBecomesLessThan(let count):
                (kCMBufferQueueTrigger_WhenBufferCountBecomesLessThan, .count(count))
            case .whenBufferCountBecomesGreaterThan(let count):
                (kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan, .count(count))
            }
        }
    }

    /// Installs a trigger. `body` is called without a lock, on the thread whose call made the condition true, or
    /// immediately if the condition is true already. Without `body`, the trigger is only tested. The token is valid until
    /// `removeTrigger`.
    @discardableResult
    public func installTrigger(
        condition: TriggerCondition, _ body: CMBufferQueueTriggerHandler? = nil
    ) throws -> TriggerToken {
        var token: TriggerToken?
        let (number, threshold) = condition.parts
        let status =
            switch threshold {
            case .time(let time): unsafe CMBufferQueueInstallTriggerHandler(self, number, time, &token, body)
            case .count(let count):
                unsafe CMBufferQueueInstallTriggerHandlerWithIntegerThreshold(self, number, count, &token, body)
            }
        return unsafe try created(token, status)
    }

    public func removeTrigger(_ triggerToken: TriggerToken) throws {
        try check(unsafe CMBufferQueueRemoveTrigger(self, triggerToken: triggerToken))
    }

    /// Returns true if the condition of a trigger holds now.
    public func testTrigger(_ triggerToken: TriggerToken) -> Bool {
        unsafe CMBufferQueueTestTrigger(self, triggerToken: triggerToken)
    }
}
