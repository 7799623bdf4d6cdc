public import CoreFoundationTypes
import Foundation

/// An object that can have attachments.
public protocol CMAttachmentBearerProtocol: AnyObject {}

extension CMBlockBuffer: CMAttachmentBearerProtocol {}
extension CMSampleBuffer: CMAttachmentBearerProtocol {}

extension CMAttachmentBearerProtocol {
    /// A view of all attachments. Changes of the view change the attachments.
    public var attachments: CMAttachmentBearerAttachments { CMAttachmentBearerAttachments(bearer: self) }

    /// Copies the propagating attachments to another object.
    public func propagateAttachments<T: CMAttachmentBearerProtocol>(to destination: T) {
        CMPropagateAttachments(self, destination: destination)
    }
}

/// The attachments of an object, as Swift values: `Bool`, `Int`, `Data` and so on.
public struct CMAttachmentBearerAttachments {
    let bearer: any CMAttachmentBearerProtocol

    /// The mode of an attachment: whether copies of the object get the attachment too.
    public enum Mode: CMAttachmentMode, Sendable {
        case shouldNotPropagate = 0
        case shouldPropagate = 1
    }

    /// An attachment with its mode.
    public enum Value {
        case shouldPropagate(Any)
        case shouldNotPropagate(Any)

        /// The attachment without its mode.
        public var value: Any {
            switch self {
            case .shouldPropagate(let value), .shouldNotPropagate(let value): value
            }
        }

        /// The mode of the attachment.
        public var mode: Mode {
            switch self {
            case .shouldPropagate: .shouldPropagate
            case .shouldNotPropagate: .shouldNotPropagate
            }
        }
    }

    /// The propagating attachments.
    public var propagated: [String: Any] { all(.shouldPropagate) }
    /// The attachments that do not propagate.
    public var nonPropagated: [String: Any] { all(.shouldNotPropagate) }

    /// The attachment of a key. Setting nil removes the attachment.
    public subscript(key: String) -> Value? {
        get {
            var mode: CMAttachmentMode = 0
            guard let value = unsafe CMGetAttachment(bearer, key: key as CFString, attachmentModeOut: &mode) else {
                return nil
            }
            let converted = swiftValue(value)
            return mode == kCMAttachmentMode_ShouldPropagate
                ? .shouldPropagate(converted) : .shouldNotPropagate(converted)
        }
        nonmutating set {
            guard let newValue else { return CMRemoveAttachment(bearer, key: key as CFString) }
            CMSetAttachment(
                bearer, key: key as CFString, value: native(newValue.value), attachmentMode: newValue.mode.rawValue)
        }
    }

    /// The attachment of a key. Setting nil removes the attachment.
    public subscript(key: CMSampleBuffer.AttachmentKey) -> Value? {
        get { self[string(key.rawValue)] }
        nonmutating set { self[string(key.rawValue)] = newValue }
    }

    /// Adds attachments, and replaces those with the same keys.
    public func merge(_ attachments: [String: Any], mode: Mode) {
        CMSetAttachments(bearer, attachments: attachments as CFDictionary, attachmentMode: mode.rawValue)
    }

    /// Removes all attachments.
    public func removeAll() { CMRemoveAllAttachments(bearer) }

    private func all(_ mode: Mode) -> [String: Any] {
        let attachments = CMCopyDictionaryOfAttachments(allocator: nil, target: bearer, attachmentMode: mode.rawValue)
        return attachments.map(dictionary) ?? [:]
    }
}
