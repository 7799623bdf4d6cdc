package import Nalu

/// A family of devices, for example the screens of X11.
package protocol CaptureProvider: Sendable {
    /// The kinds of devices that the provider can have.
    static var kinds: CaptureDevice.Kinds { get }

    /// Returns the devices that are present, the default device of each kind first. Waits at most 2 seconds.
    ///
    /// Throws the reason for which there can be no devices: a missing library or server.
    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice]

    /// Returns a function that returns the devices that are present each time it is called. A watcher calls it twice a
    /// second, so it should not open devices that it has seen.
    static func observer(_ kinds: CaptureDevice.Kinds) -> () throws(NaluError) -> [CaptureDevice]

    /// Returns the device of an identifier that need not be listed, such as `x11::1`; nil if the identifier belongs to
    /// another provider.
    static func device(_ identifier: String) throws(NaluError) -> CaptureDevice?
}

extension CaptureProvider {
    static func observer(_ kinds: CaptureDevice.Kinds) -> () throws(NaluError) -> [CaptureDevice] {
        { () throws(NaluError) in try devices(kinds) }
    }
}
