/// Finds where pictures are missing to which others of a stream refer, by the samples in decode order.
///
/// Each NAL unit is looked at once. A value without identity, so that both libraries have it.
package struct StreamLossDetector {
    private var codec: VideoCodec?
    private var h264 = H264LossDetector()
    private var hevc = HEVCLossDetector()
    /// Why the parameter sets of the format description cannot be read.
    private var formatFailure: NaluError?

    package init() {}

    /// The samples from here on have this format description, whose `parameterSets` may have other units among them.
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

    /// Looks at the next sample: `data` is its NAL units, each behind a length of `lengthSize` bytes.
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
            isDecodableLeading: first?.isDecodableLeading == true)
    }
}

/// What differs between codecs for a ``StreamLossDetector``.
protocol CodecLossDetector {
    /// A unit of a format description.
    mutating func adopt(_ unit: [UInt8]) throws(NaluError)
    /// Each unit of a sample.
    mutating func pass(_ unit: UnsafeRawBufferPointer)
    /// The units of a sample up to its first slice, for which there is a report.
    mutating func look(at unit: UnsafeRawBufferPointer, _ times: PictureTimes) throws(NaluError) -> SliceReport?
    /// Whether the unit is a slice that does not begin its picture or field.
    static func isLaterSlice(_ unit: UnsafeRawBufferPointer) -> Bool
    static var noSlice: NaluError { get }
}
