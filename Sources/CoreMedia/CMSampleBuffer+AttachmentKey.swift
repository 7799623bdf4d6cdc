public import CoreFoundationTypes

extension CMSampleBuffer {
    /// The key of an attachment of a sample buffer.
    public struct AttachmentKey: RawRepresentable, Hashable {
        public let rawValue: CFString

        public init(rawValue: CFString) { self.rawValue = rawValue }
    }
}

// The constants in CMSampleBuffer.h document the keys.
extension CMSampleBuffer.AttachmentKey {
    public static var cameraIntrinsicMatrix: Self { Self(rawValue: kCMSampleBufferAttachmentKey_CameraIntrinsicMatrix) }
    public static var displayEmptyMediaImmediately: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_DisplayEmptyMediaImmediately)
    }
    public static var drainAfterDecoding: Self { Self(rawValue: kCMSampleBufferAttachmentKey_DrainAfterDecoding) }
    public static var droppedFrameReason: Self { Self(rawValue: kCMSampleBufferAttachmentKey_DroppedFrameReason) }
    public static var droppedFrameReasonInfo: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_DroppedFrameReasonInfo)
    }
    public static var emptyMedia: Self { Self(rawValue: kCMSampleBufferAttachmentKey_EmptyMedia) }
    public static var endsPreviousSampleDuration: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_EndsPreviousSampleDuration)
    }
    public static var fillDiscontinuitiesWithSilence: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_FillDiscontinuitiesWithSilence)
    }
    public static var forceKeyFrame: Self { Self(rawValue: kCMSampleBufferAttachmentKey_ForceKeyFrame) }
    public static var gradualDecoderRefresh: Self { Self(rawValue: kCMSampleBufferAttachmentKey_GradualDecoderRefresh) }
    public static var permanentEmptyMedia: Self { Self(rawValue: kCMSampleBufferAttachmentKey_PermanentEmptyMedia) }
    public static var postNotificationWhenConsumed: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_PostNotificationWhenConsumed)
    }
    public static var resetDecoderBeforeDecoding: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
    }
    public static var resumeOutput: Self { Self(rawValue: kCMSampleBufferAttachmentKey_ResumeOutput) }
    public static var reverse: Self { Self(rawValue: kCMSampleBufferAttachmentKey_Reverse) }
    public static var sampleReferenceByteOffset: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_SampleReferenceByteOffset)
    }
    public static var sampleReferenceURL: Self { Self(rawValue: kCMSampleBufferAttachmentKey_SampleReferenceURL) }
    public static var speedMultiplier: Self { Self(rawValue: kCMSampleBufferAttachmentKey_SpeedMultiplier) }
    public static var stillImageLensStabilizationInfo: Self {
        Self(rawValue: kCMSampleBufferAttachmentKey_StillImageLensStabilizationInfo)
    }
    public static var transitionID: Self { Self(rawValue: kCMSampleBufferAttachmentKey_TransitionID) }
    public static var trimDurationAtEnd: Self { Self(rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtEnd) }
    public static var trimDurationAtStart: Self { Self(rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtStart) }
}
