// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of large trees (src/export/cuda/large/tree_kernels.h), their very text compiled for the host.
#ifndef LB_TREE_ON_HOST_H
#define LB_TREE_ON_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/// One evaluation as src/export/cuda/large/tree_device.c starts it: launch after launch, the lanes of each one after the other,
/// the last first.
///
/// @param model, work, division  of a tree image
/// @param levels    where its levels start among the nodes, level_count + 1 entries
/// @param verdicts  out: the largest values of all nodes
void lb_run_tree_on_host(const void *model, void *work, void *division, const int *levels,
                         int level_count, int body_count, int scratch_lanes, const double *q,
                         const double *v, const double *tau, double *a, double *verdicts);

#ifdef __cplusplus
}
#endif

#endif // LB_TREE_ON_HOST_H
