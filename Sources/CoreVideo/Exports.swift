// The C spellings.
@_exported public import CoreFoundationTypes
