public import CoreFoundationTypes
import Foundation

/// A protocol that lets a CoreFoundation type have initializers.
public protocol CMSampleBufferProtocol {}

extension CMSampleBuffer: CMSampleBufferProtocol {}

extension CMSampleBufferProtocol where Self == CMSampleBuffer {
    /// Creates a buffer of samples whose data is ready. `sampleTimings` and `sampleSizes` each have no element, one
    /// element for all samples, or one for each sample.
    public init(
        dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
    ) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCreateReady(
            allocator: nil, dataBuffer: dataBuffer, formatDescription: formatDescription, sampleCount: numSamples,
            sampleTimingEntryCount: sampleTimings.count, sampleTimingArray: sampleTimings,
            sampleSizeEntryCount: sampleSizes.count, sampleSizeArray: sampleSizes, sampleBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// Creates a buffer of samples. If `dataReady` is false, the data can be declared ready later with
    /// `setDataReady()`.
    public init(
        dataBuffer: CMBlockBuffer?, dataReady: Bool, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
    ) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCreate(
            allocator: nil, dataBuffer: dataBuffer, dataReady: dataReady, makeDataReadyCallback: nil, refcon: nil,
            formatDescription: formatDescription, sampleCount: numSamples, sampleTimingEntryCount: sampleTimings.count,
            sampleTimingArray: sampleTimings, sampleSizeEntryCount: sampleSizes.count, sampleSizeArray: sampleSizes,
            sampleBufferOut: &buffer)
        self = try created(buffer, status)
    }

    public init(
        imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription, sampleTiming: CMSampleTimingInfo
    ) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe withUnsafePointer(to: sampleTiming) { timing in
            unsafe CMSampleBufferCreateReadyWithImageBuffer(
                allocator: nil, imageBuffer: imageBuffer, formatDescription: formatDescription, sampleTiming: timing,
                sampleBufferOut: &buffer)
        }
        self = try created(buffer, status)
    }

    /// Creates a buffer of samples whose data `makeDataReadyHandler` provides when a program calls `makeDataReady()`.
    public init(
        dataBuffer: CMBlockBuffer?, dataReady: Bool, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int],
        makeDataReadyHandler: @escaping (CMSampleBuffer) throws -> Void
    ) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCreateWithMakeDataReadyHandler(
            nil, dataBuffer, dataReady, formatDescription, numSamples, sampleTimings.count, sampleTimings,
            sampleSizes.count, sampleSizes, &buffer
        ) { sampleBuffer in reportedStatus { try makeDataReadyHandler(sampleBuffer) } }
        self = try created(buffer, status)
    }

    public init(copying original: CMSampleBuffer) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCreateCopy(allocator: nil, sampleBuffer: original, sampleBufferOut: &buffer)
        self = try created(buffer, status)
    }

    public init(copying original: CMSampleBuffer, withNewTiming timings: [CMSampleTimingInfo]) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCreateCopyWithNewTiming(
            allocator: nil, sampleBuffer: original, sampleTimingEntryCount: timings.count, sampleTimingArray: timings,
            sampleBufferOut: &buffer)
        self = try created(buffer, status)
    }

    public init(copying original: CMSampleBuffer, forRange range: Range<Int>) throws {
        var buffer: CMSampleBuffer?
        let status = unsafe CMSampleBufferCopySampleBufferForRange(
            allocator: nil, sampleBuffer: original,
            sampleRange: CFRange(location: range.lowerBound, length: range.count),
            sampleBufferOut: &buffer)
        self = try created(buffer, status)
    }
}

extension CMSampleBuffer {
    public static var typeID: CFTypeID { CMSampleBufferGetTypeID() }

    public var dataBuffer: CMBlockBuffer? { CMSampleBufferGetDataBuffer(self) }
    public var imageBuffer: CVImageBuffer? { CMSampleBufferGetImageBuffer(self) }
    public var formatDescription: CMFormatDescription? { CMSampleBufferGetFormatDescription(self) }
    public var numSamples: CMItemCount { CMSampleBufferGetNumSamples(self) }
    public var duration: CMTime { CMSampleBufferGetDuration(self) }
    public var presentationTimeStamp: CMTime { CMSampleBufferGetPresentationTimeStamp(self) }
    public var decodeTimeStamp: CMTime { CMSampleBufferGetDecodeTimeStamp(self) }
    public var outputDuration: CMTime { CMSampleBufferGetOutputDuration(self) }
    public var outputPresentationTimeStamp: CMTime { CMSampleBufferGetOutputPresentationTimeStamp(self) }
    public var outputDecodeTimeStamp: CMTime { CMSampleBufferGetOutputDecodeTimeStamp(self) }
    public var totalSampleSize: Int { CMSampleBufferGetTotalSampleSize(self) }
    public var isValid: Bool { CMSampleBufferIsValid(self) }
    public var dataReadiness: DataReadiness {
        var status: OSStatus = noErr
        if unsafe CMSampleBufferHasDataFailed(self, statusOut: &status) { return .failed(failure(status)) }
        return CMSampleBufferDataIsReady(self) ? .ready : .notReady
    }

    public enum DataReadiness {
        case notReady
        case ready
        case failed(any Error)
    }

    public func setOutputPresentationTimeStamp(_ time: CMTime) throws {
        try check(CMSampleBufferSetOutputPresentationTimeStamp(self, newValue: time))
    }

    public func setDataBuffer(_ dataBuffer: CMBlockBuffer) throws {
        try check(CMSampleBufferSetDataBuffer(self, newValue: dataBuffer))
    }

    /// Declares that the data is ready, or that it could not be provided. `.notReady` throws.
    public func setDataReadiness(_ dataReadiness: DataReadiness) throws {
        switch dataReadiness {
        case .ready: try check(CMSampleBufferSetDataReady(self))
        case .failed(let error):
            try check(CMSampleBufferSetDataFailed(self, status: OSStatus(truncatingIfNeeded: (error as NSError).code)))
        case .notReady: throw failure(OSStatus(paramErr))
        }
    }

    /// Makes the readiness of the data follow that of another sample buffer.
    public func trackDataReadiness(_ sampleBuffer: CMSampleBuffer) throws {
        try check(CMSampleBufferTrackDataReadiness(self, sampleBufferToTrack: sampleBuffer))
    }

    /// Sets the function that is called when the sample buffer is invalidated.
    public func setInvalidateHandler(_ handler: @escaping (CMSampleBuffer) throws -> Void) throws {
        try check(CMSampleBufferSetInvalidateHandler(self) { sampleBuffer in try? handler(sampleBuffer) })
    }

    public func setDataReady() throws { try check(CMSampleBufferSetDataReady(self)) }
    public func makeDataReady() throws { try check(CMSampleBufferMakeDataReady(self)) }
    public func invalidate() throws { try check(CMSampleBufferInvalidate(self)) }

    public func sampleTimingInfo(at index: Int) throws -> CMSampleTimingInfo {
        var timing = CMSampleTimingInfo.invalid
        try check(unsafe CMSampleBufferGetSampleTimingInfo(self, at: index, timingInfoOut: &timing))
        return timing
    }

    /// Returns no element, one element for all samples, or one for each sample.
    public func sampleTimingInfos() throws -> [CMSampleTimingInfo] {
        var count = 0
        try check(
            unsafe CMSampleBufferGetSampleTimingInfoArray(
                self, entryCount: 0, arrayToFill: nil, entriesNeededOut: &count))
        var timings = [CMSampleTimingInfo](repeating: .invalid, count: count)
        try check(
            unsafe CMSampleBufferGetSampleTimingInfoArray(
                self, entryCount: count, arrayToFill: &timings, entriesNeededOut: nil))
        return timings
    }

    /// Returns the output times: no element, one element for all samples, or one for each sample.
    public func outputSampleTimingInfos() throws -> [CMSampleTimingInfo] {
        var count = 0
        try check(
            unsafe CMSampleBufferGetOutputSampleTimingInfoArray(
                self, entryCount: 0, arrayToFill: nil, entriesNeededOut: &count))
        var timings = [CMSampleTimingInfo](repeating: .invalid, count: count)
        try check(
            unsafe CMSampleBufferGetOutputSampleTimingInfoArray(
                self, entryCount: count, arrayToFill: &timings, entriesNeededOut: nil))
        return timings
    }

    public func sampleSize(at index: Int) -> Int { CMSampleBufferGetSampleSize(self, at: index) }

    /// Returns no element, one element for all samples, or one for each sample.
    public func sampleSizes() throws -> [Int] {
        var count = 0
        try check(
            unsafe CMSampleBufferGetSampleSizeArray(self, entryCount: 0, arrayToFill: nil, entriesNeededOut: &count))
        var sizes = [Int](repeating: 0, count: count)
        try check(
            unsafe CMSampleBufferGetSampleSizeArray(self, entryCount: count, arrayToFill: &sizes, entriesNeededOut: nil)
        )
        return sizes
    }

    /// Returns a sample buffer for each sample, over the same data.
    public func singleSampleBuffers() throws -> [CMSampleBuffer] {
        try (0..<numSamples).map { try CMSampleBuffer(copying: self, forRange: $0..<$0 + 1) }
    }

    /// The attachments of each sample. They can be changed in place.
    public var sampleAttachments: SampleAttachmentsArray {
        get { SampleAttachmentsArray(CMSampleBufferGetSampleAttachmentsArray(self, createIfNecessary: true)) }
        set {
            let target = sampleAttachments
            for index in 0..<Swift.min(target.count, newValue.count) { target[index].assign(newValue[index]) }
        }
    }
}
