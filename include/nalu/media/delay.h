/**
 * @file
 * Delays of live video, by stage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_DELAY_H
#define NALU_MEDIA_DELAY_H

#include "../base.h"

NALU_BEGIN_DECLS

/**
 * The times that pictures or samples spent in one stage, in seconds. All four are NaN if count is
 * 0. The struct never grows.
 */
typedef struct nalu_delay {
    uint64_t count; /**< the number of measured times */
    double least;   /**< the shortest time */
    double mean;    /**< the mean of all times */
    double p95;     /**< the 95th percentile of the last 1024 times */
    double most;    /**< the longest time */
} nalu_delay;

NALU_END_DECLS

#endif
