/* The extensions that the samples' format descriptions have in addition to those from the parameter sets. Programs that
 * write files read them there. */
#ifndef NALU_VT_SAMPLE_EXTENSIONS_H
#define NALU_VT_SAMPLE_EXTENSIONS_H

#include "compression_session.h"

/* Returns true if the extensions depend on a property. */
bool nalu_is_of_sample_extensions(CFStringRef key);

/* Passes the extensions that follow from the present properties to the session's delivery. */
void nalu_sample_extensions_update(VTCompressionSessionRef session);

#endif
