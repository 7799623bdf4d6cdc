/* Access to the attachments of the objects that can have some. */
#ifndef NALU_VT_BEARER_H
#define NALU_VT_BEARER_H

#include "../../Support/attachments.h"

#include <CoreMedia/CMBlockBuffer.h>
#include <CoreMedia/CMSampleBuffer.h>

/* Returns the attachments of an object. The object's type is not checked. */
nalu_attachments *nalu_block_buffer_attachments(CMBlockBufferRef buffer);
nalu_attachments *nalu_sample_buffer_attachments(CMSampleBufferRef buffer);

#endif
