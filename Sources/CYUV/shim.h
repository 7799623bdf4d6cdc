/* The only file that includes libyuv's headers. */
#ifndef NALU_CYUV_SHIM_H
#define NALU_CYUV_SHIM_H

#include <libyuv/convert.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>
#include <libyuv/scale_argb.h>
#include <libyuv/scale_uv.h>

#endif
