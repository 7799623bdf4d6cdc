extension SessionConfiguration {
    /// Without B-frames there is nothing that could refer across a key frame.
    func checkOpenGOP() throws(NaluError) {
        guard allowOpenGOP else { return }
        func excluded(_ sentence: String) -> NaluError {
            NaluError(.conflict, "AllowOpenGOP true needs B-frames, which \(sentence) excludes")
        }
        if allowFrameReordering == false { throw excluded("AllowFrameReordering false") }
        if realTime == true { throw excluded("RealTime true") }
        if x264.isTunedForNoDelay { throw excluded("x264.tune \"zerolatency\"") }
        if !profile.hasBFrames { throw excluded("ProfileLevel \"\((profileLevel ?? .highAuto).name)\"") }
        if (0...2).contains(maxFrameDelayCount) { throw excluded("MaxFrameDelayCount \(maxFrameDelayCount)") }
        if referenceBufferCount == 1 { throw excluded("ReferenceBufferCount 1") }
    }

    /// Whether the stream will have recovery points, as far as is known before the encoder is open.
    var opensGOPs: Bool { allowOpenGOP && reordersFrames }
}
