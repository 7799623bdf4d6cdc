package import NaluBase
private import NaluLibc

/// A regular file that appears at its path only when it is complete.
///
/// Until then it has no name if the file system supports that (`O_TMPFILE`), so that nothing remains if the process is
/// killed. Otherwise it has a hidden name in the directory of the path.
///
/// `@unchecked Sendable`: its owner, a writer or the command's output, uses it in one thread at a time.
package final class PendingFile: @unchecked Sendable {
    /// The file's descriptor, open for reading and writing, at the beginning of the empty file.
    package let descriptor: Int32
    /// Whether a file existed at the path, which ``commit()`` replaces.
    package let replacesFile: Bool
    private let path: String
    private let overwrite: Bool
    /// The descriptor of the directory, and the name in it. The descriptor stays valid if the directory is renamed, or
    /// if the process changes its working directory.
    private let directory: Int32
    private let name: String
    /// The hidden name, if the file has one.
    private var hiddenName: String?
    /// The process that created the file. A forked child shares the file, but only this process completes or removes
    /// it.
    private let process = getpid()

    private static let attempts = 100
    // The system's headers define these with expressions that Swift does not import.
    private static let pathOnly: Int32 = 0o10_000_000
    private static let temporary: Int32 = 0o20_000_000 | O_DIRECTORY

    /// Creates an empty file; nil if the path must be written in place: a device, a pipe, a dangling link, a mount
    /// point, or a directory without permission to write. The result is also nil if the path cannot be opened at all;
    /// opening it then reports the error.
    ///
    /// - Parameter overwrite: whether an existing file is replaced. If false, an existing file is written in place too.
    package init?(path: String, overwrite: Bool) throws(NaluError) {
        guard let place = Self.place(of: path, overwrite: overwrite) else { return nil }
        let slash = place.path.lastIndex(of: "/")
        let parent = slash.map { $0 == place.path.startIndex ? "/" : String(place.path[..<$0]) } ?? "."
        name = slash.map { String(place.path[place.path.index(after: $0)...]) } ?? place.path
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        let directory = SystemCalls.open(parent, Self.pathOnly | O_DIRECTORY)
        guard directory >= 0 else { return nil }
        if let existing = place.existing, SystemCalls.status(directory)?.st_dev != existing.st_dev {
            close(directory)
            return nil
        }
        let made = Self.create(in: directory)
        guard made.descriptor >= 0 else {
            let number = errno
            close(directory)
            if [EACCES, EPERM, EROFS].contains(number) { return nil }
            throw NaluError(
                .inputOutput,
                "path \"\(NaluError.excerpt(path))\" cannot be created: \(SystemError.text(number))")
        }
        descriptor = made.descriptor
        hiddenName = made.name
        self.directory = directory
        self.path = path
        self.overwrite = overwrite
        replacesFile = place.existing != nil
        if let existing = place.existing {
            // The owner is set first, because a change of owner clears some permissions.
            _ = fchown(descriptor, existing.st_uid, existing.st_gid)
            _ = fchmod(descriptor, existing.st_mode & 0o7777)
        }
    }

    /// Returns the resolved path and the existing file; nil if the path must be written in place.
    private static func place(of path: String, overwrite: Bool) -> (path: String, existing: stat?)? {
        if let info = SystemCalls.status(path) {
            guard overwrite, info.isRegularFile, SystemCalls.canAccess(path, W_OK),
                let resolved = unsafe realpath(path.pathBytes, nil)
            else { return nil }
            defer { unsafe free(resolved) }
            return unsafe (String(path: resolved), info)
        }
        var link = stat()
        guard errno == ENOENT, unsafe lstat(path.pathBytes, &link) != 0 else { return nil }
        return (path, nil)
    }

    /// Creates a file. The descriptor is negative after a failure, with errno set.
    private static func create(in directory: Int32) -> (descriptor: Int32, name: String?) {
        var descriptor = SystemCalls.open(".", in: directory, temporary | O_RDWR)
        if descriptor >= 0 {
            // The file gets its name through /proc, which a container may lack.
            if SystemCalls.canAccess(address(of: descriptor), F_OK) { return (descriptor, nil) }
            close(descriptor)
        } else if [EACCES, EPERM, EROFS].contains(errno) {
            return (descriptor, nil)
        }
        var name = ""
        for _ in 0..<attempts {
            name = randomName()
            descriptor = SystemCalls.open(name, in: directory, O_RDWR | O_CREAT | O_EXCL)
            if descriptor >= 0 || errno != EEXIST { break }
        }
        return (descriptor, name)
    }

    private static func randomName() -> String {
        ".nalu-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }

    private static func address(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    deinit {
        if let hiddenName, process == getpid() { _ = unsafe unlinkat(directory, hiddenName, 0) }
        close(descriptor)
        close(directory)
    }

    /// Puts the complete file permanently in its place. Returns 0 or an errno number.
    ///
    /// `EEXIST`: a file that must not be replaced has appeared at the path; ``salvage()`` then keeps this file and
    /// returns its path.
    package func commit() -> Int32 {
        guard process == getpid() else { return 0 }
        // The new content must be on the disk before it replaces the old file, or a crash could leave neither.
        if replacesFile {
            while fdatasync(descriptor) != 0 {
                if errno != EINTR { return errno }
            }
        }
        if !replacesFile {
            let number = giveName(name)
            // Some file systems support hidden files but not hard links.
            if number == 0 || (number == EEXIST && !overwrite) { return number }
            if hiddenName != nil, !overwrite, unsafe faccessat(directory, name.pathBytes, F_OK, 0) == 0 {
                return EEXIST
            }
        }
        let number = giveHiddenName()
        guard number == 0, let hiddenName else { return number }
        guard unsafe renameat(directory, hiddenName, directory, name.pathBytes) == 0 else { return errno }
        self.hiddenName = nil
        return 0
    }

    /// Keeps the file under its hidden name after a failed ``commit()``. Returns its path; nil if it is lost.
    package func salvage() -> String? {
        guard process == getpid(), giveHiddenName() == 0, let kept = hiddenName else { return nil }
        hiddenName = nil
        return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + kept
    }

    /// Links the file to a name that does not exist yet. Returns 0 or an errno number.
    private func giveName(_ wanted: String) -> Int32 {
        let result =
            if let hiddenName {
                unsafe linkat(directory, hiddenName, directory, wanted.pathBytes, 0)
            } else {
                unsafe linkat(AT_FDCWD, Self.address(of: descriptor), directory, wanted.pathBytes, AT_SYMLINK_FOLLOW)
            }
        guard result == 0 else { return errno }
        if let hiddenName { _ = unsafe unlinkat(directory, hiddenName, 0) }
        hiddenName = nil
        return 0
    }

    private func giveHiddenName() -> Int32 {
        guard hiddenName == nil else { return 0 }
        var number = EEXIST
        for _ in 0..<Self.attempts where number == EEXIST {
            let name = Self.randomName()
            number = giveName(name)
            if number == 0 { hiddenName = name }
        }
        return number
    }
}
