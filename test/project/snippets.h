// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that the code in comments of the public headers may use without declaring them. See check_api.py.
#ifndef LB_SNIPPETS_H
#define LB_SNIPPETS_H

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limber/beams.h"
#include "limber/control.h"
#include "limber/cuda.h"
#include "limber/document.h"
#include "limber/events.h"
#include "limber/io.h"
#include "limber/limber.h"
#include "limber/linear.h"
#include "limber/openmp.h"
#include "limber/results.h"
#include "limber/signals.h"
#include "limber/simulate.h"

// what a program has built or loaded
extern lb_builder *builder;
extern lb_model *model;
extern lb_document *document;
extern lb_simulation *simulation;
extern lb_forces *forces;
extern lb_run_request request;
extern lb_audit audit;
extern lb_report report;
extern lb_status status;

// a state and what belongs to it
extern lb_work *work;
extern double t, *q, *v, *a, *tau, *eta, *x, *y, *M;
extern double *da_dq, *da_dv, *da_dtau;
extern unsigned char *held, *driven;
extern void *scratch; // of whatever kind a function wants
extern const double *now_q, *now_v, *now_a;
extern int i, n, count, body, node, node_count, mode_count, modes;
extern lb_flex_node *nodes;
extern size_t size;

// memory of the program's own
void *my_pool(size_t size);

#endif // LB_SNIPPETS_H
