/* Linking this library is enough to set the time limit. */
#ifndef NALU_TESTS_TIME_LIMIT_H
#define NALU_TESTS_TIME_LIMIT_H

enum { nalu_tests_time_limit = 900 /* seconds */ };

#endif
