// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path is compiled portably, file by file, and once more for each instruction set, all of it
// in one file (src/dynamics/kernels). In such a copy its functions are local to that file: they are declared
// LB_HOT in the headers, and their definitions follow suit.
#ifndef LB_HOT_H
#define LB_HOT_H

// In one large file the compiler makes other choices about inlining than in many small ones, and
// worse ones for the sweeps. So it is told: functions declared in headers are called, and the steps
// of a sweep at one body are inlined.
#ifdef LB_KERNEL_COPY
#define LB_HOT static __attribute__((unused, noinline))
#define LB_STEP static inline __attribute__((always_inline))
#else
#define LB_HOT
#define LB_STEP static inline
#endif

// Names the body and the equation that the next lines compute, for src/export/freeze, which records them.
#ifndef LB_MARK
#define LB_MARK(body, equation) ((void)0)
#endif

// Says that the next lines are for one of `width` entries that are computed alike, such as the modes of a body; with
// width 0, that they are for all again. LB_SPEED_LANE is the same for the column of a speed among those of its body.
#ifndef LB_LANE
#define LB_LANE(lane, width) ((void)0)
#define LB_SPEED_LANE(speed) ((void)0)
#endif

#endif // LB_HOT_H
