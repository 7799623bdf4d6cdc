// A program imports Nalu alone.
@_exported public import NaluBase
@_exported public import NaluBitstream
