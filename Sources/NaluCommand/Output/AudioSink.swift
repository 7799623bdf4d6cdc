internal import Nalu

/// A sink for video beside audio. The samples of both tracks may come from different threads.
protocol AudioSink: SampleSink {
    /// Adds the audio track. Call it once, before the first sample.
    func addAudio(_ format: FormatDescription) throws
    /// Writes a sample of the audio track.
    func writeAudio(_ sample: Sample) throws
}
