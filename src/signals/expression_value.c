// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of expressions. This source is recorded for frozen files too: see freeze/trace.h.
#include "expression.h"
#include "signals.h"

lb_status lb_evaluate_expression(const lb_expression *e, const lb_instant *instant, double *value)
{
    double stack[LB_MOST_STACKED + 1];
    double *top = stack; // the next free place
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *instruction = &e->program[i];
        switch (instruction->op) {
        case LB_TERM_NUMBER:
            *top++ = instruction->number;
            break;
        case LB_TERM_LEAF: {
            const lb_status status =
                lb_evaluate_signal(&e->signals[instruction->signal], instant, top);
            if (status != LB_OK) {
                return status;
            }
            ++top;
            break;
        }
        default:
            top -= lb_get_operand_count(instruction->op);
            *top = lb_apply_term(instruction->op, top);
            ++top;
            break;
        }
    }
    *value = stack[0];
    return LB_OK;
}
