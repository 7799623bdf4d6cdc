/* The triggers of a CMBufferQueue. */
#include "buffer_queue.h"

#include <Block/Block.h>
#include <stdlib.h>

static bool is_true(CMBufferQueueRef queue, CMBufferQueueTriggerToken trigger) {
    const int order = trigger->condition <= kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualTo
        ? CMTimeCompare(nalu_buffer_queue_get_duration(queue), trigger->time)
        : 0;
    switch (trigger->condition) {
    case kCMBufferQueueTrigger_WhenDurationBecomesLessThan: return order < 0;
    case kCMBufferQueueTrigger_WhenDurationBecomesLessThanOrEqualTo: return order <= 0;
    case kCMBufferQueueTrigger_WhenDurationBecomesGreaterThan: return order > 0;
    case kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualTo: return order >= 0;
    case kCMBufferQueueTrigger_WhenDataBecomesReady: return nalu_buffer_queue_is_head_ready(queue);
    case kCMBufferQueueTrigger_WhenEndOfDataReached: return queue->ended && queue->count == 0;
    case kCMBufferQueueTrigger_WhenBufferCountBecomesLessThan: return queue->count < trigger->threshold;
    case kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan: return queue->count > trigger->threshold;
    default: return false;
    }
}

/* Returns the time stamp whose changes fire the trigger; kCMTimeInvalid for a trigger with another condition. */
static CMTime get_watched(CMBufferQueueRef queue, CMBufferQueueTriggerToken trigger) {
    if (trigger->condition == kCMBufferQueueTrigger_WhenMinPresentationTimeStampChanges)
        return nalu_buffer_queue_get_presentation(queue, -1);
    if (trigger->condition == kCMBufferQueueTrigger_WhenMaxPresentationTimeStampChanges)
        return nalu_buffer_queue_get_presentation(queue, 1);
    return kCMTimeInvalid;
}

/* Returns true if the last change of the queue fires the trigger, and stores the new state in the trigger. */
static bool note_change(CMBufferQueueRef queue, CMBufferQueueTriggerToken trigger, bool was_reset) {
    const bool now = is_true(queue, trigger), became = now && !trigger->was_true;
    const CMTime watched = get_watched(queue, trigger);
    const bool changed = CMTimeCompare(watched, trigger->last) != 0;
    trigger->was_true = now;
    trigger->last = watched;
    return became || changed || (was_reset && trigger->condition == kCMBufferQueueTrigger_WhenReset);
}

void nalu_buffer_queue_end(CMBufferQueueRef queue, bool was_reset) {
    enum { ROOM = 16 };
    CMBufferQueueTriggerToken on_stack[ROOM], *due = on_stack;
    size_t count = 0, all = 0;
    for (CMBufferQueueTriggerToken trigger = queue->first_trigger; trigger; trigger = trigger->next) all++;
    if (all > ROOM) due = malloc(all * sizeof *due);
    for (CMBufferQueueTriggerToken trigger = queue->first_trigger; due && trigger; trigger = trigger->next) {
        if (!note_change(queue, trigger, was_reset)) continue;
        atomic_fetch_add(&trigger->references, 1);
        due[count++] = trigger;
    }
    /* A callback may release the queue. */
    if (count) CFRetain(queue);
    pthread_mutex_unlock(&queue->lock);
    for (size_t i = 0; i < count; i++) nalu_buffer_trigger_call(queue, due[i]);
    if (count) CFRelease(queue);
    if (due != on_stack) free((void *)due);
}

static OSStatus install(CMBufferQueueRef queue, const struct opaqueCMBufferQueueTriggerToken *model,
    CMBufferQueueTriggerToken *triggerTokenOut) {
    if (triggerTokenOut) *triggerTokenOut = NULL;
    if (!queue || (!model->callback && !model->handler && !triggerTokenOut))
        return kCMBufferQueueError_RequiredParameterMissing;
    CMBufferQueueTriggerToken trigger = malloc(sizeof *trigger);
    if (!trigger) return kCMBufferQueueError_AllocationFailed;
    *trigger = *model;
    atomic_init(&trigger->references, 1);
    atomic_init(&trigger->removed, false);
    const OSStatus status = nalu_buffer_queue_begin(queue, false);
    if (status != noErr) {
        free(trigger);
        return status;
    }
    if (trigger->handler) trigger->handler = Block_copy(trigger->handler);
    trigger->was_true = is_true(queue, trigger);
    trigger->last = get_watched(queue, trigger);
    /* Triggers are called in the order in which they were installed, so the new one goes to the end. */
    CMBufferQueueTriggerToken *place = &queue->first_trigger;
    while (*place) place = &(*place)->next;
    *place = trigger;
    trigger->next = NULL;
    if (triggerTokenOut) *triggerTokenOut = trigger;
    const bool due = trigger->was_true;
    if (due) atomic_fetch_add(&trigger->references, 1);
    /* A callback may release the queue. */
    if (due) CFRetain(queue);
    pthread_mutex_unlock(&queue->lock);
    if (due) nalu_buffer_trigger_call(queue, trigger);
    if (due) CFRelease(queue);
    return noErr;
}

static bool is_about_count(CMBufferQueueTriggerCondition condition) {
    return condition == kCMBufferQueueTrigger_WhenBufferCountBecomesLessThan
        || condition == kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan;
}

static OSStatus install_with_time(CMBufferQueueRef queue, const struct opaqueCMBufferQueueTriggerToken *model,
    CMBufferQueueTriggerToken *triggerTokenOut) {
    const CMBufferQueueTriggerCondition condition = model->condition;
    if (condition < kCMBufferQueueTrigger_WhenDurationBecomesLessThan || condition > kCMBufferQueueTrigger_WhenReset)
        return kCMBufferQueueError_InvalidTriggerCondition;
    if (condition <= kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualTo && !CMTIME_IS_NUMERIC(model->time))
        return kCMBufferQueueError_BadTriggerDuration;
    return install(queue, model, triggerTokenOut);
}

OSStatus CMBufferQueueInstallTrigger(CMBufferQueueRef queue, CMBufferQueueTriggerCallback callback, void *refcon,
    CMBufferQueueTriggerCondition condition, CMTime time, CMBufferQueueTriggerToken *triggerTokenOut) {
    const struct opaqueCMBufferQueueTriggerToken model = {
        .callback = callback, .refcon = refcon, .condition = condition, .time = time};
    return install_with_time(queue, &model, triggerTokenOut);
}

OSStatus CMBufferQueueInstallTriggerHandler(CMBufferQueueRef queue, CMBufferQueueTriggerCondition condition, CMTime time,
    CMBufferQueueTriggerToken *triggerTokenOut, CMBufferQueueTriggerHandler handler) {
    const struct opaqueCMBufferQueueTriggerToken model = {.handler = handler, .condition = condition, .time = time};
    return install_with_time(queue, &model, triggerTokenOut);
}

OSStatus CMBufferQueueInstallTriggerWithIntegerThreshold(CMBufferQueueRef queue, CMBufferQueueTriggerCallback callback,
    void *refcon, CMBufferQueueTriggerCondition condition, CMItemCount threshold,
    CMBufferQueueTriggerToken *triggerTokenOut) {
    const struct opaqueCMBufferQueueTriggerToken model = {
        .callback = callback, .refcon = refcon, .condition = condition, .threshold = threshold};
    if (!is_about_count(condition)) return kCMBufferQueueError_InvalidTriggerCondition;
    return install(queue, &model, triggerTokenOut);
}

OSStatus CMBufferQueueInstallTriggerHandlerWithIntegerThreshold(CMBufferQueueRef queue,
    CMBufferQueueTriggerCondition condition, CMItemCount threshold, CMBufferQueueTriggerToken *triggerTokenOut,
    CMBufferQueueTriggerHandler handler) {
    const struct opaqueCMBufferQueueTriggerToken model = {
        .handler = handler, .condition = condition, .threshold = threshold};
    if (!is_about_count(condition)) return kCMBufferQueueError_InvalidTriggerCondition;
    return install(queue, &model, triggerTokenOut);
}

OSStatus CMBufferQueueRemoveTrigger(CMBufferQueueRef queue, CMBufferQueueTriggerToken triggerToken) {
    if (!triggerToken) return kCMBufferQueueError_RequiredParameterMissing;
    const OSStatus status = nalu_buffer_queue_begin(queue, false);
    if (status != noErr) return status;
    CMBufferQueueTriggerToken *place = &queue->first_trigger;
    while (*place && *place != triggerToken) place = &(*place)->next;
    const bool found = *place != NULL;
    if (found) {
        *place = triggerToken->next;
        atomic_store(&triggerToken->removed, true);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!found) return kCMBufferQueueError_InvalidTriggerToken;
    nalu_buffer_trigger_release(triggerToken);
    return noErr;
}

Boolean CMBufferQueueTestTrigger(CMBufferQueueRef queue, CMBufferQueueTriggerToken triggerToken) {
    if (!triggerToken || nalu_buffer_queue_begin(queue, false) != noErr) return false;
    CMBufferQueueTriggerToken trigger = queue->first_trigger;
    while (trigger && trigger != triggerToken) trigger = trigger->next;
    const bool holds = trigger && is_true(queue, trigger);
    pthread_mutex_unlock(&queue->lock);
    return holds;
}
