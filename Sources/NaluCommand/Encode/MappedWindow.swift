private import NaluLibc

/// A stretch of a file, mapped into memory until the last reference is gone.
///
/// `@unchecked Sendable`: it is only read.
@safe
final class MappedWindow: @unchecked Sendable {
    /// Where in the file the bytes begin.
    let start: Int
    let bytes: UnsafeRawBufferPointer
    private let mapping: UnsafeMutableRawBufferPointer

    init(_ input: InputFile, start: Int, count: Int) throws(Failure) {
        let page = Int(getpagesize())
        let aligned = start / page * page
        let length = count + start - aligned
        let address = unsafe mmap(nil, length, PROT_READ, MAP_PRIVATE, input.descriptor, aligned)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw Failure.system("cannot map \(input.name)")
        }
        self.start = start
        unsafe mapping = UnsafeMutableRawBufferPointer(start: address, count: length)
        unsafe bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mapping)[(start - aligned)...])
    }

    deinit {
        _ = unsafe munmap(mapping.baseAddress, mapping.count)
    }

    /// Brings that part into memory now, in this thread, rather than page by page where it is looked at.
    func populate(_ range: Range<Int>) {
        let populateForReading: Int32 = 22  // MADV_POPULATE_READ, which older headers lack; older kernels refuse it
        let page = Int(getpagesize())
        let offset =
            unsafe bytes.baseAddress.unsafelyUnwrapped - UnsafeRawPointer(mapping.baseAddress.unsafelyUnwrapped)
        let first = (offset + range.lowerBound) / page * page
        let last = offset + range.upperBound
        _ = unsafe madvise(mapping.baseAddress.unsafelyUnwrapped + first, last - first, populateForReading)
    }
}
