/// Data of a first pass with arbitrary contents: it is rejected, or it can be written again and used to divide bits.
/// The input is the part between the build of x264 and the hash.
func fuzzPassData(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var bytes = PassData.beginning
    unsafe bytes += Fuzzing.input(data, size)
    PassData.seal(&bytes)
    let read: PassData
    let statistics: PassStatistics
    do throws(NaluError) {
        read = try PassData(bytes)
        statistics = try PassStatistics(read.files[0] ?? [], of: read.clip)
    } catch {
        Fuzzing.require(error.status == .badData, "the status is promised")
        Fuzzing.require(!error.message.isEmpty && error.message.utf8.count < 1000, "the sentence is one")
        return 0
    }
    guard let again = try? PassData(read.bytes) else {
        fatalError("what was written cannot be read")
    }
    Fuzzing.require(again.clip == read.clip && again.files == read.files, "what was learned comes back")
    guard let canonical = try? PassStatistics(statistics.text, of: read.clip) else {
        fatalError("statistics made anew cannot be read")
    }
    Fuzzing.require(canonical.text == statistics.text, "statistics are spelled in one way")
    var unlimited = read.clip
    unlimited.highestRate = 0
    let division = MultiPassStorage.divide(1e6, among: [(read.clip, statistics), (unlimited, statistics)])
    Fuzzing.require(
        division.firstPassQPs.allSatisfy { $0.map { 1...51 ~= $0 } ?? true }, "QPs are those of a first pass")
    let rates = division.bitRates
    Fuzzing.require(rates.count == 2 && rates.allSatisfy { 1000...2_000_000_000 ~= $0 }, "the bits are divided")
    return 0
}
