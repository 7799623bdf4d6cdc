// The functions of this module accept and return the times and errors of NaluBase.
@_exported public import NaluBase
