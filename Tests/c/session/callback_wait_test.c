/* Deadlock detection between threads that the library did not create. */
#include "check.h"

#include <pthread.h>

static int owners[3];

/* The arguments of a thread and its result. */
typedef struct step {
    const void *owner, *awaited;
    int32_t result;
} step;

/* Registers a wait without really waiting. The wait stays registered until the thread ends it. */
static void *begin_wait(void *context) {
    step *it = (step *)context;
    nalu_callback_thread_set_owner(it->owner);
    nalu_callback_allow_waits(1);
    it->result = nalu_callback_wait_begin(it->awaited);
    return NULL;
}

static int32_t begin_in_thread(const void *owner, const void *awaited) {
    step it = {owner, awaited, -1};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, begin_wait, &it) == 0);
    pthread_join(thread, NULL);
    return it.result;
}

static void threads_of_nobody_may_always_wait(void) {
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(nalu_callback_wait_begin(&owners[i]), 1);
        nalu_callback_wait_end();
    }
    nalu_callback_wait_end();
    CHECK_EQ(begin_in_thread(NULL, &owners[0]), 1);
}

static void the_wait_that_closes_a_circle_is_refused(void) {
    /* Thread 1 waits for 2, and 2 waits for 0. */
    CHECK_EQ(begin_in_thread(&owners[1], &owners[2]), 1);
    nalu_callback_thread_set_owner(&owners[0]);
    CHECK_EQ(nalu_callback_wait_begin(&owners[1]), 0);
    nalu_callback_allow_waits(1);
    CHECK_EQ(nalu_callback_wait_begin(&owners[1]), 1);
    nalu_callback_wait_end();
    CHECK_EQ(begin_in_thread(&owners[2], &owners[0]), 1);
    CHECK_EQ(nalu_callback_wait_begin(&owners[1]), 0);
    CHECK_EQ(nalu_callback_wait_begin(&owners[2]), 0);
    /* A wait for the thread's own owner is not checked here, and other waits form no cycle. */
    CHECK_EQ(nalu_callback_wait_begin(&owners[0]), 1);
    nalu_callback_wait_end();
    nalu_callback_thread_set_owner(NULL);
    CHECK_EQ(nalu_callback_wait_begin(&owners[1]), 1);
    nalu_callback_wait_end();
    /* The wait is allowed again once thread 2 has ended its own. */
    nalu_callback_thread_set_owner(&owners[2]);
    nalu_callback_wait_end();
    nalu_callback_thread_set_owner(&owners[0]);
    CHECK_EQ(nalu_callback_wait_begin(&owners[1]), 1);
    nalu_callback_wait_end();
    nalu_callback_thread_set_owner(NULL);
}

int main(void) {
    RUN(threads_of_nobody_may_always_wait);
    RUN(the_wait_that_closes_a_circle_is_refused);
    return check_result();
}
