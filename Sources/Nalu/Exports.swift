// A program needs to import only Nalu.
@_exported public import NaluBase
@_exported public import NaluBitstream
