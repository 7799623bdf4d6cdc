/// The cameras that a watcher has seen. It opens a device only if the device is new, because an open device keeps a USB
/// camera from sleeping.
package struct V4L2CameraCache<Camera> {
    /// The facts of a device node that change if another device takes its place, or if its owner or permissions change.
    package struct Node: Equatable {
        package var device: UInt64
        package var inode: UInt64
        /// The time of the last change, in seconds and nanoseconds.
        package var seconds: Int64
        package var nanoseconds: Int64

        package init(device: UInt64, inode: UInt64, seconds: Int64, nanoseconds: Int64) {
            self.device = device
            self.inode = inode
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    private struct Entry {
        var node: Node
        var camera: Camera?
        /// The number of times that the device was opened.
        var openings: Int
    }

    private var entries: [String: Entry] = [:]
    /// The number of times that a device without a camera is opened. A driver may need a moment after the node appears.
    package static var mostOpenings: Int { 4 }

    package init() {}

    /// Returns the camera at a path; nil if there is none.
    ///
    /// - Parameters:
    ///   - node: the device node; nil if none is visible. A preloaded library may show a camera without a node.
    ///   - isVirtual: whether a program provides the device. It may become a camera at any time, and never sleeps.
    ///   - describe: opens the device, and returns its camera or nil.
    package mutating func camera(
        _ path: String, node: Node?, isVirtual: Bool, describe: (String) -> Camera?
    ) -> Camera? {
        guard let node, !isVirtual else {
            entries[path] = nil
            return describe(path)
        }
        var entry = Entry(node: node, camera: nil, openings: 0)
        if let last = entries[path], last.node == node { entry = last }
        if entry.camera == nil, entry.openings < Self.mostOpenings {
            entry.camera = describe(path)
            entry.openings += 1
            entries[path] = entry
        }
        return entry.camera
    }
}
