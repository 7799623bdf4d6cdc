/* CMSimpleQueue: order, capacity, wrong arguments, and one writer together with one reader. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <pthread.h>

static void test_order(void) {
    static const int values[5] = {0, 1, 2, 3, 4};
    CMSimpleQueueRef queue = NULL;
    REQUIRE(CMSimpleQueueCreate(kCFAllocatorDefault, 3, &queue) == noErr);
    CHECK_EQ(CFGetTypeID(queue), CMSimpleQueueGetTypeID());
    CHECK_EQ(CMSimpleQueueGetCapacity(queue), 3);
    CHECK(CMSimpleQueueDequeue(queue) == NULL && CMSimpleQueueGetHead(queue) == NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) CHECK_EQ(CMSimpleQueueEnqueue(queue, &values[i]), noErr);
        CHECK_EQ(CMSimpleQueueEnqueue(queue, &values[3]), kCMSimpleQueueError_QueueIsFull);
        CHECK_EQ(CMSimpleQueueGetCount(queue), 3);
        CHECK(CMSimpleQueueGetFullness(queue) == 1);
        CHECK(CMSimpleQueueDequeue(queue) == &values[0]);
        CHECK_EQ(CMSimpleQueueEnqueue(queue, &values[4]), noErr);
        CHECK(CMSimpleQueueDequeue(queue) == &values[1]);
        CHECK(CMSimpleQueueGetHead(queue) == &values[2]);
        CHECK(CMSimpleQueueDequeue(queue) == &values[2]);
        CHECK(CMSimpleQueueDequeue(queue) == &values[4]);
        CHECK(CMSimpleQueueDequeue(queue) == NULL);
    }
    CHECK_EQ(CMSimpleQueueEnqueue(queue, &values[0]), noErr);
    CHECK_EQ(CMSimpleQueueReset(queue), noErr);
    CHECK_EQ(CMSimpleQueueGetCount(queue), 0);
    CFRelease(queue);
}

/* Arguments that crash on a Mac, or are undefined there, result in a status here. */
static void test_wrong_arguments(void) {
    CMSimpleQueueRef no_queue = NULL, queue = NULL;
    const void *volatile no_element = NULL;
    CMSimpleQueueRef *volatile no_place = NULL;
    CHECK_EQ(CMSimpleQueueCreate(NULL, 1, no_place), kCMSimpleQueueError_RequiredParameterMissing);
    CHECK_EQ(CMSimpleQueueCreate(NULL, 0, &queue), kCMSimpleQueueError_ParameterOutOfRange);
    CHECK_EQ(CMSimpleQueueCreate(NULL, -1, &queue), kCMSimpleQueueError_ParameterOutOfRange);
    CHECK(queue == NULL);
    CHECK_EQ(CMSimpleQueueEnqueue(no_queue, &queue), kCMSimpleQueueError_RequiredParameterMissing);
    CHECK(CMSimpleQueueDequeue(no_queue) == NULL && CMSimpleQueueGetHead(no_queue) == NULL);
    CHECK_EQ(CMSimpleQueueReset(no_queue), kCMSimpleQueueError_RequiredParameterMissing);
    CHECK_EQ(CMSimpleQueueGetCount(no_queue), 0);
    CHECK_EQ(CMSimpleQueueGetCapacity(no_queue), 0);
    REQUIRE(CMSimpleQueueCreate(NULL, 1, &queue) == noErr);
    CHECK_EQ(CMSimpleQueueEnqueue(queue, no_element), kCMSimpleQueueError_RequiredParameterMissing);
    CFRelease(queue);
}

enum { ELEMENTS = 200000 };

static void *write_all(void *queue) {
    for (intptr_t i = 1; i <= ELEMENTS;)
        if (CMSimpleQueueEnqueue((CMSimpleQueueRef)queue, (const void *)i) == noErr) i++;
        else sched_yield();
    return NULL;
}

static void test_two_threads(void) {
    CMSimpleQueueRef queue = NULL;
    pthread_t writer;
    REQUIRE(CMSimpleQueueCreate(NULL, 7, &queue) == noErr);
    REQUIRE(pthread_create(&writer, NULL, write_all, queue) == 0);
    for (intptr_t expected = 1; expected <= ELEMENTS;) {
        const void *element = CMSimpleQueueDequeue(queue);
        if (!element) sched_yield();
        else if (!CHECK_EQ((intptr_t)element, expected++)) break;
    }
    pthread_join(writer, NULL);
    CFRelease(queue);
}

int main(void) {
    RUN(test_order);
    RUN(test_wrong_arguments);
    RUN(test_two_threads);
    return check_result();
}
