/* Storages that are made of the data of others, as on another machine. */
#ifndef NALU_TESTS_STORAGE_COPY_H
#define NALU_TESTS_STORAGE_COPY_H

#include "check.h"

#include <nalu/multi_pass.h>

/* Returns a storage with the data of the first pass of `storage`. */
static inline nalu_multi_pass_storage *storage_copy(nalu_multi_pass_storage *storage) {
    nalu_multi_pass_storage *copy = NULL;
    size_t size = 0;
    REQUIRE_OK(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size));
    uint8_t *data = (uint8_t *)malloc(size);
    REQUIRE(data);
    REQUIRE_OK(nalu_multi_pass_storage_copy_data(storage, data, size, &size));
    REQUIRE_OK(nalu_multi_pass_storage_create_with_data(NULL, data, size, &copy));
    free(data);
    return copy;
}

#endif
