// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters that stay open in a frozen file. How a parameter of a document enters the numbers of a model is the
// business of whoever builds it. Here the model is built at several values, and each number of the plain model that
// changes is taken for a polynomial of the parameters, which further values have to confirm. The polynomials are then
// recorded in the place of the numbers.
#ifndef LB_TUNABLE_H
#define LB_TUNABLE_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"
#include "export/freeze/plain_model.h"
#include "model/layout.h"

/// Models are built once for each monomial: 455 for twelve.
enum { LB_PARAMETERS_MOST = 12 };

/// Whether a name is a word of C or C++.
bool lb_is_reserved(const char *name);

/// Numbers beside those of a model, such as those of forces.
typedef struct lb_more_numbers {
    int count;
    double **places; ///< in what is recorded
    void *user;
    /// The same numbers where the model was built at other values.
    lb_status (*read)(void *user, const lb_model *model, double *out);
    /// Whether these numbers do what the parameters do there.
    ///
    /// @return LB_OK; LB_E_UNSUPPORTED if not; or a failure
    lb_status (*confirm)(void *user, const lb_model *model, const double *numbers);
} lb_more_numbers;

typedef struct lb_tunable {
    const lb_freeze_parameters *given;
    int monomial_count;
    const int *powers;          ///< monomials of as many powers as parameters
    int number_count;           ///< numbers that change
    const int *numbers;         ///< which, in the order of lb_list_numbers
    const double *coefficients; ///< of each, as many as monomials
    void *memory;
    const lb_more_numbers *more; ///< behind those of the model; NULL for none
} lb_tunable;

/// Numbers that terms have taken the place of.
typedef struct lb_set_aside {
    double **places, *values;
} lb_set_aside;

/// Finds how a plain model depends on parameters.
///
/// @param shares  as lb_make_plain was told
/// @param sample  of the model, at the values that it was built with
/// @param more    NULL for none
/// @param bad     out: after LB_E_UNSUPPORTED, a parameter
/// @param reason  out: why it cannot be
/// @return LB_OK; LB_E_UNSUPPORTED; LB_E_MEMORY; LB_E_ARGUMENT for a name that is not one of C
lb_status lb_find_tunable(const lb_plain_model *plain, bool shares, const lb_sample *sample,
                          const lb_freeze_parameters *given, const lb_more_numbers *more,
                          lb_tunable *tunable, int *bad, const char **reason);

/// Frees what it holds.
void lb_clear_tunable(lb_tunable *tunable);

/// Puts the polynomials, as terms of a graph, into the plain model and its loops.
///
/// @param work   of the plain model
/// @param aside  out: what was there; lb_take_tunable puts it back
/// @return LB_OK, or LB_E_MEMORY with nothing changed
lb_status lb_put_tunable(lb_graph *graph, const lb_tunable *tunable, const lb_plain_model *plain,
                         lb_work *work, lb_set_aside *aside);

/// Puts back what was there, and frees the record of it.
void lb_take_tunable(const lb_tunable *tunable, lb_set_aside *aside);

/// The struct of the header, with its defaults.
void lb_write_parameters(lb_page *page, const lb_freeze_options *options, const char *capitals);

/// The type of numbers: "float" or "double".
const char *lb_get_real(const lb_freeze_options *options);

/// "parameters, " for calls, where there are any; otherwise "".
const char *lb_get_passed(const lb_freeze_options *options);

/// The first argument of functions, where there are any.
void lb_write_parameter_argument(lb_page *page, const lb_freeze_options *options);

/// The first lines of a function: the parameters as an array p.
void lb_write_parameter_array(lb_page *page, const lb_freeze_options *options);

#endif // LB_TUNABLE_H
