// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "adaptive_newton.h"

#include <cvode/cvode.h>

// I - gamma J, from derivatives: renewed only when CVODE thinks that they are out of date.
static int make_newton(realtype t, N_Vector y, N_Vector rate, SUNMatrix matrix, booleantype valid,
                       booleantype *renewed, realtype gamma, void *user, N_Vector a, N_Vector b,
                       N_Vector c)
{
    (void)rate, (void)matrix, (void)a, (void)b, (void)c;
    lb_flow *flow = user;
    lb_newton *newton = flow->newton;
    *renewed = !valid;
    if (!valid) {
        lb_status status = lb_evaluate_system(flow->system, t, N_VGetArrayPointer(y), NULL);
        status = status < 0 ? status : lb_differentiate_system(newton, t);
        if (status < 0) {
            return status == LB_E_NUMBER ? 1 : -1;
        }
    }
    return lb_factor_newton(newton, gamma) ? 0 : 1;
}

// The linear solver behind it: the matrix object carries nothing.
static SUNLinearSolver_Type get_solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int setup_solver(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)solver, (void)matrix;
    return 0;
}

static int solve_newton(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        realtype tolerance)
{
    (void)matrix, (void)tolerance;
    lb_solve_newton(solver->content, N_VGetArrayPointer(b), N_VGetArrayPointer(x));
    return 0;
}

static SUNMatrix_ID get_matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static void free_matrix(SUNMatrix matrix)
{
    SUNMatFreeEmpty(matrix);
}

static int free_solver(SUNLinearSolver solver)
{
    SUNLinSolFreeEmpty(solver);
    return 0;
}

int lb_use_newton(void *cvode, lb_newton *newton, SUNContext context, SUNMatrix *matrix,
                  SUNLinearSolver *solver)
{
    *matrix = SUNMatNewEmpty(context);
    *solver = SUNLinSolNewEmpty(context);
    if (!*matrix || !*solver) {
        return CV_MEM_FAIL;
    }
    (*matrix)->ops->getid = get_matrix_id;
    (*matrix)->ops->destroy = free_matrix;
    (*solver)->ops->gettype = get_solver_type;
    (*solver)->ops->setup = setup_solver;
    (*solver)->ops->solve = solve_newton;
    (*solver)->ops->free = free_solver;
    (*solver)->content = newton;
    const int bad = CVodeSetLinearSolver(cvode, *solver, *matrix);
    return bad ? bad : CVodeSetLinSysFn(cvode, make_newton);
}
