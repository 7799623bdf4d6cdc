// Errors and times are part of what this module's functions take and give.
@_exported public import NaluBase
