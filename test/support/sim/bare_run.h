// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Results that cannot be shown by themselves.
#ifndef LB_TEST_BARE_RUN_H
#define LB_TEST_BARE_RUN_H

/// Runs a model file and records it with nothing besides its text: no library and no file that it names. Returns the
/// path of the results, which are removed at the end.
const char *lb_record_bare_run(const char *model_path, const char *name);

#endif // LB_TEST_BARE_RUN_H
