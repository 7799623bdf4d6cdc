/* What the format descriptions of a compression session's samples say besides what is in the parameter sets: programs that
 * write files read it there. */
#ifndef NALU_VT_SAMPLE_EXTENSIONS_H
#define NALU_VT_SAMPLE_EXTENSIONS_H

#include "compression_session.h"

/* Whether the descriptions depend on a property. */
bool nalu_is_of_sample_extensions(CFStringRef key);

/* Gives the session's outlet what the properties say now. */
void nalu_sample_extensions_update(VTCompressionSessionRef session);

#endif
