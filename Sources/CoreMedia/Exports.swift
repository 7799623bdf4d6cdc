// The C spellings.
@_exported public import CoreFoundationTypes
@_exported public import CoreVideo
