/// The sample rate and channels of an audio stream.
public struct AudioFormat: Hashable, Sendable {
    /// The number of samples per second and channel.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int

    package init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}
