/// Finds missing reference pictures of a stream, from its samples in decode order.
///
/// Each NAL unit is read once.
package struct StreamLossDetector {
    private var codec: VideoCodec?
    private var h264 = H264LossDetector()
    private var hevc = HEVCLossDetector()
    /// The reason why the parameter sets of the format description cannot be read, if any.
    private var formatFailure: NaluError?

    package init() {}

    /// Sets the format description of the following samples. `parameterSets` may contain other NAL units too.
    package mutating func adopt(_ codec: VideoCodec, parameterSets: [[UInt8]]) {
        if self.codec != codec { self = StreamLossDetector() }
        self.codec = codec
        formatFailure = nil
        do throws(NaluError) {
            for unit in parameterSets {
                switch codec {
                case .h264: try h264.adopt(unit)
                case .hevc: try hevc.adopt(unit)
                }
            }
        } catch {
            formatFailure = error
        }
    }

    /// Forgets the pictures before the next sample, which does not continue them. The parameter sets stay.
    package mutating func restart() {
        h264.restart()
        hevc.restart()
    }

    /// Reads the next sample. `data` consists of its NAL units, each after a length of `lengthSize` bytes.
    package mutating func look(
        at data: UnsafeRawBufferPointer, lengthSize: Int, _ times: PictureTimes
    ) -> SampleReport {
        switch codec {
        case .h264: unsafe look(at: data, lengthSize, times, &h264)
        case .hevc: unsafe look(at: data, lengthSize, times, &hevc)
        case nil:
            SampleReport(
                loss: .failure(NaluError(.badData, "the sample has no format description")), isSplit: false,
                place: nil, isDecodableLeading: false)
        }
    }

    /// Reports on the next sample without reading its NAL units. It must have no parameter sets. Returns nil if a
    /// parameter set of its slices is missing.
    package mutating func look(at slices: PictureSlices, _ times: PictureTimes) -> SampleReport? {
        guard formatFailure == nil else { return nil }
        let report: SliceReport?
        switch (slices.first, codec) {
        case (.h264(let header), .h264): report = h264.report(on: header, times)
        case (.hevc(let header), .hevc):
            report = hevc.report(on: header, times)
            if slices.endsSequence { hevc.endSequence() }
        default: report = nil
        }
        return report.map { report in
            SampleReport(
                loss: .success(report.finding), isSplit: slices.isSplit, place: report.place,
                isDecodableLeading: report.isDecodableLeading, isField: report.isField,
                isLosslessAtZero: report.isLosslessAtZero)
        }
    }

    private func look<Detector: CodecLossDetector>(
        at data: UnsafeRawBufferPointer, _ lengthSize: Int, _ times: PictureTimes, _ detector: inout Detector
    ) -> SampleReport {
        var loss: Result<LossFinding, NaluError>? = formatFailure.map { .failure($0) }
        var isSplit = false
        var first: SliceReport?
        do throws(NaluError) {
            try unsafe LengthPrefixed.forEachUnit(in: data, lengthSize: lengthSize) { unit in
                isSplit = unsafe isSplit || Detector.isLaterSlice(unit)
                unsafe detector.pass(unit)
                guard loss == nil else { return }
                do throws(NaluError) {
                    if let report = unsafe try detector.look(at: unit, times) {
                        first = report
                        loss = .success(report.finding)
                    }
                } catch {
                    loss = .failure(error)
                }
            }
        } catch {
            loss = .failure(error)
        }
        return SampleReport(
            loss: loss ?? .failure(Detector.noSlice), isSplit: isSplit, place: first?.place,
            isDecodableLeading: first?.isDecodableLeading == true, isField: first?.isField == true,
            isLosslessAtZero: first?.isLosslessAtZero == true)
    }
}

/// The codec-specific part of a ``StreamLossDetector``.
protocol CodecLossDetector {
    /// Accepts a NAL unit of a format description.
    mutating func adopt(_ unit: [UInt8]) throws(NaluError)
    /// Forgets all pictures, and keeps the parameter sets.
    mutating func restart()
    /// Accepts each NAL unit of a sample, before ``look(at:_:)``.
    mutating func pass(_ unit: UnsafeRawBufferPointer)
    /// Reads the NAL units of a sample up to its first slice, and returns a report for that slice.
    mutating func look(at unit: UnsafeRawBufferPointer, _ times: PictureTimes) throws(NaluError) -> SliceReport?
    /// Whether the NAL unit is a slice that does not begin its picture or field.
    static func isLaterSlice(_ unit: UnsafeRawBufferPointer) -> Bool
    static var noSlice: NaluError { get }
}
