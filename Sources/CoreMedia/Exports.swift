// Exports the C spellings of functions and constants.
@_exported public import CoreFoundationTypes
@_exported public import CoreVideo
