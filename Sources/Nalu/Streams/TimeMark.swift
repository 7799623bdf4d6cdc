/// The time that was given with some bytes of the stream.
struct TimeMark {
    let range: Range<Int>
    let number: Int
    let time: MediaTime?
}
