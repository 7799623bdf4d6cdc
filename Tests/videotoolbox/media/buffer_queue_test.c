/* CMBufferQueue: order, sorting, times, end of data, triggers, validation, several threads, and wrong arguments. The buffers
 * are CFNumbers: their value is the presentation time stamp in tenths of a second. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

_Static_assert(sizeof(CMBufferCallbacks) == 68 && offsetof(CMBufferCallbacks, refcon) == 4, "packed to 4 bytes");
_Static_assert(offsetof(CMBufferCallbacks, getSize) == 60 && sizeof(CMBufferHandlers) == 64, "");

static int value_of(CFTypeRef buffer) {
    int value = 0;
    CFNumberGetValue(buffer, kCFNumberIntType, &value);
    return value;
}

static int context;

static CMTime presentation(CMBufferRef buffer, void *refcon) {
    CHECK(refcon == &context);
    return CMTimeMake(value_of(buffer), 10);
}

static CMTime decode(CMBufferRef buffer, void *refcon) {
    (void)refcon;
    return CMTimeMake(value_of(buffer) - 1, 10);
}

static CMTime duration(CMBufferRef buffer, void *refcon) {
    (void)refcon;
    return value_of(buffer) < 1000 ? CMTimeMake(1, 10) : kCMTimeInvalid;
}

static Boolean is_ready(CMBufferRef buffer, void *refcon) {
    (void)refcon;
    return value_of(buffer) % 2 == 0;
}

static CFComparisonResult compare(CMBufferRef first, CMBufferRef second, void *refcon) {
    (void)refcon;
    const int a = value_of(first) / 10, b = value_of(second) / 10;
    return a < b ? kCFCompareLessThan : a > b ? kCFCompareGreaterThan : kCFCompareEqualTo;
}

static size_t size(CMBufferRef buffer, void *refcon) {
    (void)buffer, (void)refcon;
    return 7;
}

static const CMBufferCallbacks plain = {1, &context, decode, presentation, duration, is_ready, NULL, NULL, size};
static const CMBufferCallbacks sorted = {1, &context, decode, presentation, duration, NULL, compare, NULL, size};

static CMBufferQueueRef make(CMItemCount capacity, const CMBufferCallbacks *callbacks) {
    CMBufferQueueRef queue = NULL;
    REQUIRE(CMBufferQueueCreate(NULL, capacity, callbacks, &queue) == noErr);
    return queue;
}

static OSStatus add(CMBufferQueueRef queue, int value) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    const OSStatus status = CMBufferQueueEnqueue(queue, number);
    CFRelease(number);
    return status;
}

/* Removes the first buffer and returns its value, or -1 if the queue is empty. */
static int take(CMBufferQueueRef queue) {
    CMBufferRef buffer = CMBufferQueueDequeueAndRetain(queue);
    const int value = buffer ? value_of(buffer) : -1;
    if (buffer) CFRelease(buffer);
    return value;
}

static void check_tenths(CMTime time, int tenths, int line) {
    check_integers(CMTimeConvertScale(time, 10, kCMTimeRoundingMethod_Default).value, tenths, __FILE__, line, "tenths");
}
#define CHECK_TENTHS(time, tenths) check_tenths(time, tenths, __LINE__)

static void test_order_and_times(void) {
    CMBufferQueueRef queue = make(3, &plain);
    CHECK_EQ(CFGetTypeID(queue), CMBufferQueueGetTypeID());
    CHECK(CMBufferQueueIsEmpty(queue) && CMTimeCompare(CMBufferQueueGetDuration(queue), kCMTimeZero) == 0);
    CHECK(CMTIME_IS_INVALID(CMBufferQueueGetMaxPresentationTimeStamp(queue)));
    CHECK(CMTIME_IS_INVALID(CMBufferQueueGetFirstDecodeTimeStamp(queue)));
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(add(queue, 22), noErr);
        CHECK_EQ(add(queue, 11), noErr);
        CHECK_EQ(add(queue, 2033), noErr);
        CHECK_EQ(add(queue, 44), kCMBufferQueueError_QueueIsFull);
        CHECK_EQ(CMBufferQueueGetBufferCount(queue), 3);
        CHECK_TENTHS(CMBufferQueueGetDuration(queue), 2);
        CHECK_TENTHS(CMBufferQueueGetFirstPresentationTimeStamp(queue), 22);
        CHECK_TENTHS(CMBufferQueueGetMinPresentationTimeStamp(queue), 11);
        CHECK_TENTHS(CMBufferQueueGetMaxPresentationTimeStamp(queue), 2033);
        CHECK_TENTHS(CMBufferQueueGetEndPresentationTimeStamp(queue), 2033);
        CHECK_TENTHS(CMBufferQueueGetFirstDecodeTimeStamp(queue), 21);
        CHECK_TENTHS(CMBufferQueueGetMinDecodeTimeStamp(queue), 10);
        CHECK_EQ(CMBufferQueueGetTotalSize(queue), 21);
        CMBufferRef head = CMBufferQueueCopyHead(queue);
        CHECK(head && value_of(head) == 22 && CMBufferQueueGetHead(queue) == head);
        CFRelease(head);
        CMBufferRef first = CMBufferQueueDequeueIfDataReadyAndRetain(queue);
        CHECK(first == head);
        if (first) CFRelease(first);
        /* Buffer 11 is not ready. */
        CHECK(CMBufferQueueDequeueIfDataReadyAndRetain(queue) == NULL);
        CHECK_EQ(take(queue), 11);
        CHECK_EQ(take(queue), 2033);
        CHECK_EQ(take(queue), -1);
    }
    CHECK_EQ(add(queue, 1), noErr);
    CFRelease(queue);
}

static void test_sorting(void) {
    CMBufferQueueRef queue = make(0, &sorted);
    static const int values[] = {50, 10, 30, 51, 11, 90, 31, 52, 0};
    static const int expected[] = {0, 10, 11, 30, 31, 50, 51, 52, 90};
    for (int i = 0; i < 9; i++) CHECK_EQ(add(queue, values[i]), noErr);
    /* Buffers with equal time stamps keep their order. */
    for (int i = 0; i < 9; i++) CHECK_EQ(take(queue), expected[i]);
    for (int i = 0; i < 1000; i++) CHECK_EQ(add(queue, i * 7919 % 1000 * 10), noErr);
    for (int i = 0; i < 1000; i++) CHECK_EQ(take(queue), i * 10);
    CFRelease(queue);
}

static OSStatus sum_up(CMBufferRef buffer, void *refcon) {
    *(int *)refcon += value_of(buffer);
    return value_of(buffer) == 3 ? -5 : noErr;
}

static void sum_all(CMBufferRef buffer, void *refcon) { *(int *)refcon += value_of(buffer); }

static void test_end_and_reset(void) {
    CMBufferQueueRef queue = make(0, &plain);
    for (int i = 1; i <= 4; i++) add(queue, i);
    int sum = 0;
    CHECK_EQ(CMBufferQueueCallForEachBuffer(queue, sum_up, &sum), -5);
    CHECK_EQ(sum, 6);
    CHECK_EQ(CMBufferQueueMarkEndOfData(queue), noErr);
    CHECK(CMBufferQueueContainsEndOfData(queue) && !CMBufferQueueIsAtEndOfData(queue));
    CHECK_EQ(add(queue, 5), kCMBufferQueueError_EnqueueAfterEndOfData);
    for (int i = 1; i <= 4; i++) CHECK_EQ(take(queue), i);
    CHECK(CMBufferQueueIsAtEndOfData(queue));
    CHECK_EQ(CMBufferQueueReset(queue), noErr);
    CHECK(!CMBufferQueueContainsEndOfData(queue) && !CMBufferQueueIsAtEndOfData(queue));
    for (int i = 1; i <= 4; i++) CHECK_EQ(add(queue, i), noErr);
    sum = 0;
    CHECK_EQ(CMBufferQueueResetWithCallback(queue, sum_all, &sum), noErr);
    CHECK(sum == 10 && CMBufferQueueIsEmpty(queue));
    CFRelease(queue);
}

typedef struct {
    CMBufferQueueRef queue;
    CMBufferQueueTriggerToken token;
    int calls;
    OSStatus status; /* the result of a change that the callback attempts */
} fired;

static void note(void *refcon, CMBufferQueueTriggerToken token) {
    fired *to = refcon;
    to->calls++;
    to->token = token;
    to->status = add(to->queue, 99);
    CHECK(CMBufferQueueDequeueAndRetain(to->queue) == NULL);
    CHECK_EQ(CMBufferQueueReset(to->queue), kCMBufferQueueError_CannotModifyQueueFromTriggerCallback);
    (void)CMBufferQueueGetDuration(to->queue);
}

static void test_triggers(void) {
    CMBufferQueueRef queue = make(0, &plain);
    fired by[13] = {{0}};
    CMBufferQueueTriggerToken tokens[13] = {0};
    for (int i = 1; i <= 11; i++) {
        by[i].queue = queue;
        const OSStatus status = i < 10
            ? CMBufferQueueInstallTrigger(queue, note, &by[i], i, CMTimeMake(2, 10), &tokens[i])
            : CMBufferQueueInstallTriggerWithIntegerThreshold(queue, note, &by[i], i, 2, &tokens[i]);
        CHECK_EQ(status, noErr);
    }
    /* Conditions that are already true: less than 0.2 s, at most 0.2 s, fewer than two buffers. */
    const int at_first[] = {0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    for (int i = 1; i <= 11; i++) CHECK_EQ(by[i].calls, at_first[i]);
    CHECK(by[1].token == tokens[1] && by[1].status == kCMBufferQueueError_CannotModifyQueueFromTriggerCallback);
    CHECK(CMBufferQueueTestTrigger(queue, tokens[1]) && !CMBufferQueueTestTrigger(queue, tokens[3]));
    CHECK(CMBufferQueueIsEmpty(queue));

    add(queue, 10); /* one buffer, ready: the least and the greatest time stamp change */
    const int after_one[] = {0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0};
    for (int i = 1; i <= 11; i++) CHECK_EQ(by[i].calls, after_one[i]);
    add(queue, 11); /* 0.2 s */
    const int after_two[] = {0, 1, 1, 0, 1, 1, 2, 1, 0, 0, 1, 0};
    for (int i = 1; i <= 11; i++) CHECK_EQ(by[i].calls, after_two[i]);
    add(queue, 8); /* 0.3 s, and three of them */
    const int after_three[] = {0, 1, 1, 1, 1, 2, 2, 1, 0, 0, 1, 1};
    for (int i = 1; i <= 11; i++) CHECK_EQ(by[i].calls, after_three[i]);
    CHECK_EQ(take(queue), 10); /* 11 is not ready, 0.2 s */
    CHECK_EQ(take(queue), 11); /* 8 is ready and alone, 0.1 s */
    const int after_taking[] = {0, 2, 2, 1, 1, 2, 3, 2, 0, 0, 2, 1};
    for (int i = 1; i <= 11; i++) CHECK_EQ(by[i].calls, after_taking[i]);
    CHECK_EQ(CMBufferQueueMarkEndOfData(queue), noErr);
    CHECK_EQ(by[8].calls, 0);
    CHECK_EQ(take(queue), 8);
    CHECK_EQ(by[8].calls, 1);
    CHECK_EQ(CMBufferQueueReset(queue), noErr);
    CHECK_EQ(by[9].calls, 1);
    CHECK(!CMBufferQueueTestTrigger(queue, tokens[9]));

    CHECK_EQ(CMBufferQueueRemoveTrigger(queue, tokens[9]), noErr);
    CHECK_EQ(CMBufferQueueRemoveTrigger(queue, tokens[9]), kCMBufferQueueError_InvalidTriggerToken);
    CHECK(!CMBufferQueueTestTrigger(queue, tokens[9]));
    CHECK_EQ(CMBufferQueueReset(queue), noErr);
    CHECK_EQ(by[9].calls, 1);
    CFRelease(queue);
}

static void count_call(void *refcon, CMBufferQueueTriggerToken token) {
    (void)token;
    atomic_fetch_add((_Atomic int *)refcon, 1);
}

typedef struct removal {
    CMBufferQueueRef queue;
    CMBufferQueueTriggerToken other;
    int calls;
} removal;

static void remove_other(void *refcon, CMBufferQueueTriggerToken token) {
    removal *to = refcon;
    (void)token;
    to->calls++;
    CHECK_EQ(CMBufferQueueRemoveTrigger(to->queue, to->other), noErr);
}

/* Two triggers fire after one change. The first one removes the second, whose refcon may no longer exist then. */
static void test_removal_in_a_callback(void) {
    CMBufferQueueRef queue = make(0, &plain);
    removal to = {queue, NULL, 0};
    _Atomic int calls = 0;
    CHECK_EQ(CMBufferQueueInstallTriggerWithIntegerThreshold(queue, remove_other, &to,
        kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan, 0, NULL), noErr);
    CHECK_EQ(CMBufferQueueInstallTriggerWithIntegerThreshold(queue, count_call, (void *)&calls,
        kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan, 0, &to.other), noErr);
    CHECK_EQ(add(queue, 1), noErr);
    CHECK_EQ(to.calls, 1);
    CHECK_EQ(calls, 0);
    CFRelease(queue);
}

/* The triggers of three queues, each called inside the trigger of the previous queue. */
typedef struct nested {
    CMBufferQueueRef queues[3];
    int depth, deepest, refused;
} nested;

static void change_all(void *refcon, CMBufferQueueTriggerToken token) {
    nested *to = refcon;
    (void)token;
    const int depth = ++to->depth;
    if (depth > to->deepest) to->deepest = depth;
    /* Queues whose triggers are running refuse a change. A change of the next queue calls its trigger inside this
     * one. */
    for (int i = 0; i < depth; i++)
        to->refused += add(to->queues[i], 20 + depth) == kCMBufferQueueError_CannotModifyQueueFromTriggerCallback &&
            CMBufferQueueDequeueAndRetain(to->queues[i]) == NULL;
    if (depth < 3) CHECK_EQ(add(to->queues[depth], 30), noErr);
    /* The next queue accepts changes again after its trigger has returned. */
    if (depth < 3) CHECK_EQ(add(to->queues[depth], 31), noErr);
    for (int i = 0; i < depth; i++)
        to->refused += CMBufferQueueMarkEndOfData(to->queues[i]) ==
            kCMBufferQueueError_CannotModifyQueueFromTriggerCallback;
    to->depth--;
}

static void test_triggers_inside_triggers(void) {
    nested all = {.queues = {make(0, &plain), make(0, &plain), make(0, &plain)}};
    for (int i = 0; i < 3; i++) {
        CMBufferQueueTriggerToken token = NULL;
        CHECK_EQ(CMBufferQueueInstallTrigger(all.queues[i], change_all, &all, kCMBufferQueueTrigger_WhenDataBecomesReady,
                     kCMTimeZero, &token),
            noErr);
    }
    CHECK_EQ(add(all.queues[0], 10), noErr);
    CHECK_EQ(all.deepest, 3);
    CHECK_EQ(all.refused, 2 * (1 + 2 + 3));
    CHECK_EQ(CMBufferQueueGetBufferCount(all.queues[0]), 1);
    CHECK_EQ(CMBufferQueueGetBufferCount(all.queues[1]), 2);
    CHECK_EQ(CMBufferQueueGetBufferCount(all.queues[2]), 2);
    CHECK_EQ(add(all.queues[0], 11), noErr);
    for (int i = 0; i < 3; i++) CFRelease(all.queues[i]);
}

static void test_handlers(void) {
    __block int validated = 0, called = 0;
    const CMBufferHandlers handlers = {
        .version = 1,
        .getPresentationTimeStamp = ^(CMBufferRef buffer) { return CMTimeMake(value_of(buffer), 10); },
        .getDuration = ^(CMBufferRef buffer) { return CMTimeMake(value_of(buffer), 1); },
        .compare = ^(CMBufferRef a, CMBufferRef b) {
            return value_of(a) > value_of(b) ? (CFComparisonResult)kCFCompareLessThan : (CFComparisonResult)kCFCompareGreaterThan;
        },
        .isDataReady = ^(CMBufferRef buffer) { return (Boolean)(value_of(buffer) == 3); },
        .getSize = ^(CMBufferRef buffer) { return (size_t)value_of(buffer); },
    };
    CMBufferQueueRef queue = NULL;
    REQUIRE(CMBufferQueueCreateWithHandlers(NULL, 0, &handlers, &queue) == noErr);
    CHECK_EQ(CMBufferQueueSetValidationHandler(queue, ^(CMBufferQueueRef asked, CMBufferRef buffer) {
        CHECK(asked == queue);
        validated++;
        return (OSStatus)(value_of(buffer) < 0 ? kCMBufferQueueError_InvalidBuffer : noErr);
    }), noErr);
    static CMBufferQueueTriggerToken token;
    CHECK_EQ(CMBufferQueueInstallTriggerHandlerWithIntegerThreshold(queue,
        kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan, 1, &token, ^(CMBufferQueueTriggerToken which) {
            CHECK(which == token);
            called++;
        }), noErr);
    CHECK_EQ(CMBufferQueueInstallTriggerHandler(queue, kCMBufferQueueTrigger_WhenReset, kCMTimeInvalid, NULL,
        ^(CMBufferQueueTriggerToken which) { called += which ? 10 : 0; }), noErr);
    CHECK_EQ(add(queue, -1), kCMBufferQueueError_InvalidBuffer);
    CHECK_EQ(add(queue, 2), noErr);
    CHECK(CMBufferQueueDequeueIfDataReadyAndRetain(queue) == NULL);
    CHECK_EQ(add(queue, 3), noErr);
    CHECK_EQ(add(queue, 1), noErr);
    CHECK(validated == 4 && called == 1);
    CHECK_EQ(CMTimeGetSeconds(CMBufferQueueGetDuration(queue)), 6);
    CHECK_EQ(CMBufferQueueGetTotalSize(queue), 6);
    CHECK(CMTIME_IS_INVALID(CMBufferQueueGetMinDecodeTimeStamp(queue)));
    CMBufferRef first = CMBufferQueueDequeueIfDataReadyAndRetain(queue);
    CHECK(first && value_of(first) == 3);
    if (first) CFRelease(first);
    CHECK_EQ(CMBufferQueueReset(queue), noErr);
    CHECK_EQ(called, 11);
    CFRelease(queue);
}

enum { BUFFERS = 2000 };
static _Atomic int taken;

static void *produce(void *queue) {
    for (int i = 0; i < BUFFERS; i++)
        while (add(queue, i) == kCMBufferQueueError_QueueIsFull) sched_yield();
    return NULL;
}

static void *consume(void *queue) {
    int last = -1;
    while (atomic_load(&taken) < 2 * BUFFERS) {
        const int value = take(queue);
        if (value < 0) sched_yield();
        else atomic_fetch_add(&taken, 1);
        last = value;
    }
    (void)last;
    return NULL;
}

static void test_threads(void) {
    CMBufferQueueRef queue = make(16, &sorted);
    _Atomic int calls = 0;
    CHECK_EQ(CMBufferQueueInstallTriggerWithIntegerThreshold(queue, count_call, (void *)&calls,
        kCMBufferQueueTrigger_WhenBufferCountBecomesLessThan, 8, NULL), noErr);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) REQUIRE(pthread_create(&threads[i], NULL, i < 2 ? produce : consume, queue) == 0);
    for (int i = 0; i < 500; i++) {
        CMBufferQueueTriggerToken token = NULL;
        CHECK_EQ(CMBufferQueueInstallTriggerWithIntegerThreshold(queue, count_call, (void *)&calls,
            kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan, 4, &token), noErr);
        CHECK_EQ(CMBufferQueueRemoveTrigger(queue, token), noErr);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(CMBufferQueueIsEmpty(queue) && taken == 2 * BUFFERS && calls >= 1);
    CFRelease(queue);
}

static void test_wrong_arguments(void) {
    CMBufferQueueRef none = NULL, queue = NULL;
    CMBufferRef no_buffer = NULL;
    CMBufferQueueTriggerToken no_token = NULL;
    const CMBufferCallbacks *volatile no_callbacks = NULL;
    CMBufferQueueRef *volatile no_place = NULL;
    CMBufferCallbacks changed = plain;
    CHECK_EQ(CMBufferQueueCreate(NULL, 1, no_callbacks, &queue), kCMBufferQueueError_RequiredParameterMissing);
    CHECK_EQ(CMBufferQueueCreate(NULL, 1, &plain, no_place), kCMBufferQueueError_RequiredParameterMissing);
    CHECK_EQ(CMBufferQueueCreate(NULL, -1, &plain, &queue), kCMBufferQueueError_RequiredParameterMissing);
    changed.version = 2;
    CHECK_EQ(CMBufferQueueCreate(NULL, 1, &changed, &queue), kCMBufferQueueError_InvalidCMBufferCallbacksStruct);
    memset(&changed, 0, sizeof changed);
    CHECK_EQ(CMBufferQueueCreate(NULL, 1, &changed, &queue), kCMBufferQueueError_InvalidCMBufferCallbacksStruct);
    CMBufferHandlers handlers;
    memset(&handlers, 0, sizeof handlers);
    CHECK_EQ(CMBufferQueueCreateWithHandlers(NULL, 1, &handlers, &queue), kCMBufferQueueError_InvalidCMBufferCallbacksStruct);
    CHECK(queue == NULL);
    CHECK_EQ(CMBufferQueueEnqueue(none, CFSTR("a")), kCMBufferQueueError_RequiredParameterMissing);
    CHECK_EQ(CMBufferQueueEnqueue((CMBufferQueueRef)CFSTR("a"), CFSTR("a")), kCMBufferQueueError_InvalidBuffer);
    CHECK(CMBufferQueueDequeueAndRetain(none) == NULL && CMBufferQueueGetHead(none) == NULL && CMBufferQueueIsEmpty(none));
    CHECK_EQ(CMBufferQueueReset(none), kCMBufferQueueError_RequiredParameterMissing);
    CHECK(CMTIME_IS_INVALID(CMBufferQueueGetEndPresentationTimeStamp(none)) && CMBufferQueueGetTotalSize(none) == 0);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetDuration(none), kCMTimeZero), 0);
    queue = make(0, &plain);
    CHECK_EQ(CMBufferQueueEnqueue(queue, no_buffer), kCMBufferQueueError_RequiredParameterMissing);
    CHECK_EQ(CMBufferQueueInstallTrigger(queue, NULL, NULL, 9, kCMTimeZero, NULL), kCMBufferQueueError_RequiredParameterMissing);
    CHECK_EQ(CMBufferQueueInstallTrigger(queue, note, NULL, 1, kCMTimeInvalid, NULL), kCMBufferQueueError_BadTriggerDuration);
    CHECK_EQ(CMBufferQueueInstallTrigger(queue, note, NULL, 10, kCMTimeZero, NULL), kCMBufferQueueError_InvalidTriggerCondition);
    CHECK_EQ(CMBufferQueueInstallTrigger(queue, note, NULL, 0, kCMTimeZero, NULL), kCMBufferQueueError_InvalidTriggerCondition);
    CHECK_EQ(CMBufferQueueInstallTriggerWithIntegerThreshold(queue, note, NULL, 9, 1, NULL),
        kCMBufferQueueError_InvalidTriggerCondition);
    CHECK_EQ(CMBufferQueueRemoveTrigger(queue, no_token), kCMBufferQueueError_RequiredParameterMissing);
    CHECK(!CMBufferQueueTestTrigger(queue, no_token));
    CFRelease(queue);
}

int main(void) {
    RUN(test_order_and_times);
    RUN(test_sorting);
    RUN(test_end_and_reset);
    RUN(test_triggers);
    RUN(test_removal_in_a_callback);
    RUN(test_triggers_inside_triggers);
    RUN(test_handlers);
    RUN(test_threads);
    RUN(test_wrong_arguments);
    return check_result();
}
