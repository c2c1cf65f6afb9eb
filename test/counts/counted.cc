// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "counts.h"

lb_count lb_counts[LB_COUNT_PART_COUNT];

extern lb_count *lb_counting;
lb_count *lb_counting = &lb_counts[LB_COUNT_SWEEPS];
