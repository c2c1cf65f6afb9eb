// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of the FMI standard as text.
#ifndef LB_FMI_HEADER_H
#define LB_FMI_HEADER_H

#include "limber/fmu.h"

/// The types of the standard, in C, as fmi2Functions.h or fmi3Functions.h: for compiling the sources where the headers
/// of the standard are not at hand. Not part of the archive.
///
/// @param size  out: bytes of the text, which has no closing zero
const char *lb_get_fmi_header(lb_fmi_version version, size_t *size);

#endif // LB_FMI_HEADER_H
