// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables that come with matrices: what each row is, and where the nodes are.
#ifndef LB_NODE_TABLES_H
#define LB_NODE_TABLES_H

#include "matrices.h"

typedef enum lb_table_kind { LB_TABLE_NONE, LB_TABLE_MAP, LB_TABLE_COORDINATES } lb_table_kind;

/// What a table holds, by the number of columns of its first line that is no heading.
lb_table_kind lb_find_table(const lb_import_file *file);

/// Adds the nodes of a table to those of the structure.
lb_status lb_read_coordinates(lb_import *import, lb_import_file *file, lb_structure *structure);

/// Reads what each row is. If the table has numbers of nodes alone, the directions are -1.
lb_status lb_read_row_map(lb_import *import, lb_import_file *file, lb_row_labels *labels);

#endif // LB_NODE_TABLES_H
