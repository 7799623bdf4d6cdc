/* The only file that includes libyuv's headers. */
#ifndef NALU_CYUV_SHIM_H
#define NALU_CYUV_SHIM_H

#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>

#endif
