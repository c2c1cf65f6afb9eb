// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_STATUS_LIST_H
#define LB_STATUS_LIST_H

/// Every status that a function can return: X(name, value, text).
/// Zero is success, negative is failure, positive is success with news.
#define LB_STATUS_LIST(X)                                                                          \
    X(LB_OK, 0, "success")                                                                         \
    X(LB_NEWS_INDEFINITE, 1, "an inertia is indefinite: the state is outside the model's range")   \
    X(LB_NEWS_EVENT, 2, "stopped at an event")                                                     \
    X(LB_NEWS_STOP, 3, "ended by an event")                                                        \
    X(LB_NEWS_INTERRUPTED, 4, "ended on request")                                                  \
    X(LB_NEWS_FALLBACK, 6, "divide and conquer gave way to the articulated recursion: O(N)")       \
    X(LB_NEWS_UNSTABLE, 7, "not stable: a pole grows, so that there are no margins")               \
    X(LB_E_ARGUMENT, -1, "an argument is not acceptable")                                          \
    X(LB_E_MEMORY, -2, "out of memory, or the memory given is too small")                          \
    X(LB_E_STAGE, -3, "a needed quantity has not been computed for this state")                    \
    X(LB_E_SINGULAR, -4, "an inertia is singular at a hinge or mode")                              \
    X(LB_E_MODEL, -5, "the model is not valid")                                                    \
    X(LB_E_FILE, -6, "a file cannot be read or written")                                           \
    X(LB_E_SYNTAX, -7, "a file or a text is not well formed")                                      \
    X(LB_E_UNSUPPORTED, -8, "not possible with this version, or on this machine")                  \
    X(LB_E_STEP, -9, "the integrator cannot meet its tolerance with any step")                     \
    X(LB_E_NUMBER, -10,                                                                            \
      "a number that is given or computed is not finite, or a quaternion is not of unit length")   \
    X(LB_E_CAPACITY, -12, "no room for such a loop: declare it when the model is built")           \
    X(LB_E_OPEN, -13, "a loop cannot be closed")                                                   \
    X(LB_E_EQUILIBRIUM, -14, "no equilibrium or steady motion was found from here")                \
    X(LB_E_EVENTS, -15, "too many events: time does not move on between them, or no room is left") \
    X(LB_E_CALLBACK, -16, "a function or program of the caller failed or ended the run")           \
    X(LB_E_VERSION, -17,                                                                           \
      "a struct is of a newer version than this library, or of none: update it")                   \
    X(LB_E_LOOPS, -18,                                                                             \
      "loops, locks or drives are active that this does not take into account: lb_use_tree asks "  \
      "for "                                                                                       \
      "the tree")

#endif // LB_STATUS_LIST_H
