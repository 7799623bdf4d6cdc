internal import NaluBase
internal import NaluLibc

/// The identity of a file that a reader has open, independent of its name.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64

    init(_ info: stat) {
        device = UInt64(info.st_dev)
        number = UInt64(info.st_ino)
    }
}

/// The files that the readers of this process opened by path. Writers do not empty these files.
enum OpenInputs {
    private static let counts = Guarded<[FileIdentity: Int]>([:])

    static func add(_ file: FileIdentity) {
        counts.withLock { $0[file, default: 0] += 1 }
    }

    static func remove(_ file: FileIdentity) {
        counts.withLock { counts in
            guard let count = counts[file] else { return }
            counts[file] = count > 1 ? count - 1 : nil
        }
    }

    static func contains(_ file: FileIdentity) -> Bool {
        counts.withLock { $0[file] != nil }
    }
}
