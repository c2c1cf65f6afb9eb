// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a run.
#ifndef LB_RECORD_TABLES_H
#define LB_RECORD_TABLES_H

#include "record.h"
#include "simulate/store/record_file.h"

typedef enum lb_table_id {
    LB_TABLE_TIME,
    LB_TABLE_Q,
    LB_TABLE_V,
    LB_TABLE_A,
    LB_TABLE_ENERGY,
    LB_TABLE_WORK,
    LB_TABLE_MOMENTUM,
    LB_TABLE_NODES,
    LB_TABLE_SIGNALS,
    LB_TABLE_LOOPS,
    LB_TABLE_REACTIONS,
    LB_TABLE_CONTROL,
    LB_TABLE_COUNT
} lb_table_id;

/// First columns of the energies.
enum { LB_ENERGY_KINETIC, LB_ENERGY_POTENTIAL, LB_ENERGY_STORED, LB_ENERGY_COUNT };

/// Names tables and columns. Tables without columns are left out.
///
/// @param tables  out: up to LB_TABLE_COUNT
/// @param place   out: per id, index in `tables` or -1
lb_status lb_make_tables(lb_simulation *sim, lb_table *tables, int *place, int *table_count);

/// Values of a row at the present state, which lb_evaluate_system has seen.
///
/// @param rows  per id; NULL where there is no table
lb_status lb_fill_row(lb_simulation *sim, double *const *rows);

/// Reactions at all hinges, forces at nodes taken into account. body_count x 6.
lb_status lb_compute_all_reactions(lb_system *system, double *reactions);

#endif // LB_RECORD_TABLES_H
