/* Finds the attachments of what can bear them. */
#ifndef NALU_VT_BEARER_H
#define NALU_VT_BEARER_H

#include "attachments.h"

#include <CoreMedia/CMBlockBuffer.h>
#include <CoreMedia/CMSampleBuffer.h>

/* The attachments of an object of the type that the name says; it is not checked. */
nalu_attachments *nalu_block_buffer_attachments(CMBlockBufferRef buffer);
nalu_attachments *nalu_sample_buffer_attachments(CMSampleBufferRef buffer);

#endif
