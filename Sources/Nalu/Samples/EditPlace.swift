/// The place of a sample in the displayed ranges of an edit list (ISO/IEC 14496-12 8.6.6).
package enum EditPlace: Sendable {
    /// The edit list displays one range, or the container has no edit list.
    case single
    /// The first sample of one of several ranges. It does not continue the samples before it.
    case start
    /// A later sample of one of several ranges.
    case inside
}
