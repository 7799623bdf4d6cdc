public import CoreFoundationTypes
public import Foundation

extension CMSampleBuffer {
    /// The attachments of all samples. The elements are the sample buffer's own dictionaries.
    public struct SampleAttachmentsArray: RandomAccessCollection, MutableCollection {
        private let dictionaries: [PerSampleAttachmentsDictionary]

        init(_ array: CFArray?) {
            guard let array else {
                dictionaries = []
                return
            }
            dictionaries = (0..<CFArrayGetCount(array)).compactMap { index in
                guard let pointer = unsafe CFArrayGetValueAtIndex(array, index) else { return nil }
                return unsafe PerSampleAttachmentsDictionary(
                    Unmanaged<CFMutableDictionary>.fromOpaque(pointer).takeUnretainedValue())
            }
        }

        public var startIndex: Int { 0 }
        public var endIndex: Int { dictionaries.count }

        public subscript(position: Int) -> PerSampleAttachmentsDictionary {
            get { dictionaries[position] }
            nonmutating set { dictionaries[position].assign(newValue) }
        }
    }

    /// The attachments of a sample, as Swift values: `Bool`, `Int`, `Data` and so on.
    public struct PerSampleAttachmentsDictionary {
        public struct Key: RawRepresentable, Hashable {
            public let rawValue: CFString

            public init(rawValue: CFString) { self.rawValue = rawValue }
        }

        private let object: CFMutableDictionary

        init(_ object: CFMutableDictionary) { self.object = object }

        /// The attachment of a key. Setting nil removes the attachment.
        public subscript(key: Key) -> Any? {
            get { getValue(key.rawValue, of: object).map(swiftValue) }
            nonmutating set {
                if let newValue {
                    setValue(native(newValue), forKey: key.rawValue, in: object)
                } else {
                    unsafe CFDictionaryRemoveValue(object, Unmanaged.passUnretained(key.rawValue).toOpaque())
                }
            }
        }

        public var count: Int { CFDictionaryGetCount(object) }
        public var isEmpty: Bool { count == 0 }

        /// Replaces the attachments with those of another dictionary.
        func assign(_ other: PerSampleAttachmentsDictionary) {
            guard object !== other.object else { return }
            let values = dictionary(other.object)
            CFDictionaryRemoveAllValues(object)
            for (name, value) in values { self[Key(rawValue: name as CFString)] = value }
        }
    }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key {
    public static var notSync: Self { Self(rawValue: kCMSampleAttachmentKey_NotSync) }
    public static var partialSync: Self { Self(rawValue: kCMSampleAttachmentKey_PartialSync) }
    public static var hasRedundantCoding: Self { Self(rawValue: kCMSampleAttachmentKey_HasRedundantCoding) }
    public static var isDependedOnByOthers: Self { Self(rawValue: kCMSampleAttachmentKey_IsDependedOnByOthers) }
    public static var dependsOnOthers: Self { Self(rawValue: kCMSampleAttachmentKey_DependsOnOthers) }
    public static var earlierDisplayTimesAllowed: Self {
        Self(rawValue: kCMSampleAttachmentKey_EarlierDisplayTimesAllowed)
    }
    public static var displayImmediately: Self { Self(rawValue: kCMSampleAttachmentKey_DisplayImmediately) }
    public static var doNotDisplay: Self { Self(rawValue: kCMSampleAttachmentKey_DoNotDisplay) }
    public static var hevcTemporalLevelInfo: Self { Self(rawValue: kCMSampleAttachmentKey_HEVCTemporalLevelInfo) }
    public static var hevcTemporalSubLayerAccess: Self {
        Self(rawValue: kCMSampleAttachmentKey_HEVCTemporalSubLayerAccess)
    }
    public static var hevcStepwiseTemporalSubLayerAccess: Self {
        Self(rawValue: kCMSampleAttachmentKey_HEVCStepwiseTemporalSubLayerAccess)
    }
    public static var hevcSyncSampleNALUnitType: Self {
        Self(rawValue: kCMSampleAttachmentKey_HEVCSyncSampleNALUnitType)
    }
}
