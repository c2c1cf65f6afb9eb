// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model as an FMU (library limber-sim): a zip archive that Simulink, Dymola, OpenModelica and others import. It
// holds the model as C, the functions of the standard FMI 2.0 or 3.0 around it, and a description of its variables.
// Both kinds are in one FMU: model exchange, where the importer integrates, and co-simulation, where the FMU does.
//
//     lb_fmu_options options = lb_default_fmu_options();
//     options.name = "arm";
//     lb_fmu *fmu = NULL;
//     const unsigned char *archive;
//     size_t size;
//     if (lb_create_fmu(model, &options, &report, &fmu) == LB_OK &&
//         lb_form_fmu_archive(fmu, &archive, &size) == LB_OK) {
//         fwrite(archive, 1, size, stdout);
//     }
//     lb_destroy_fmu(fmu);
//
// The archive has no binary unless one is added: compile its sources, and add the result by lb_add_fmu_file.
#ifndef LB_FMU_H
#define LB_FMU_H

#include <stdbool.h>

#include "limber/model.h"

struct lb_freeze_parameters; // of limber/freeze.h
struct lb_simulation;        // of limber/simulate.h

/// The version of the standard.
typedef enum lb_fmi_version { LB_FMI_2, LB_FMI_3 } lb_fmi_version;

/// What an FMU is made from. Sized.
typedef struct lb_fmu_options {
    size_t size;
    const char *name;       ///< model identifier, and the start of names in its C files (model)
    lb_fmi_version version; ///< LB_FMI_3
    const double *q, *v;    ///< start values, in the order of the state; NULL: neutral, at rest
    double stop_time;       ///< suggested end of a simulation that starts at 0, s (1)
    double output_step;     ///< suggested time between outputs, s (0.01)
    /// Of a simulation, with commas: motors, forces, torques and motions whose values become inputs in place of their
    /// functions of time, and CONTROLLER.ACTUATOR for desired motions (NULL: none).
    const char *inputs;
    /// Parameters that can be set in the FMU, at most 12 (NULL: none). lb_freeze_options says which can be.
    const struct lb_freeze_parameters *parameters;
    bool
        open_loop; ///< of a simulation: controllers are left out, and their actuators are inputs (false)
} lb_fmu_options;

/// The defaults: "model" for FMI 3.0, from the neutral configuration at rest.
static inline lb_fmu_options lb_default_fmu_options(void)
{
    lb_fmu_options options = LB_ZEROES;
    options.size = sizeof options;
    options.name = "model";
    options.version = LB_FMI_3;
    options.stop_time = 1.0;
    options.output_step = 0.01;
    return options;
}

/// The files of an FMU. Opaque.
typedef struct lb_fmu lb_fmu;

/// Writes the files of an FMU, without a binary. Inputs are the generalized forces of hinges; outputs are the states.
/// Bodies on trees are supported with every hinge type and every fidelity, as by lb_freeze_model. Allocates; time
/// grows with the length of the text.
///
/// @param report  what is refused, and why; may be NULL
/// @param fmu     out: NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for an option that cannot be; LB_E_NUMBER for a number that is not finite;
///         LB_E_UNSUPPORTED for a model that cannot be frozen; LB_E_SINGULAR; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_create_fmu(const lb_model *model, const lb_fmu_options *options,
                               const lb_report *report, lb_fmu **fmu);

/// Writes the files of an FMU of a simulation: the model with its force elements and functions of time, its controllers, its
/// outputs, and the events that stop a run. Actuators without a controller are inputs. `q` and `v` of the options are not read:
/// it starts where the simulation does. The rest is as for lb_create_fmu. Starts the
/// simulation if it is not started.
///
/// @return as lb_create_fmu; LB_E_UNSUPPORTED also for what lb_freeze_simulation refuses, and for events that do more
///         than to stop
LB_API lb_status lb_create_simulation_fmu(struct lb_simulation *simulation,
                                          const lb_fmu_options *options, const lb_report *report,
                                          lb_fmu **fmu);

/// A file of an FMU. Its contents live as long as `fmu`. Text has a closing zero behind its `size` bytes.
///
/// @param name  out: inside the archive, such as "sources/arm.c"; may be NULL
/// @param size  out: bytes; may be NULL
/// @return NULL for an index that does not exist
LB_API const char *lb_get_fmu_file(const lb_fmu *fmu, int index, const char **name, size_t *size);

/// Adds a file, such as "binaries/x86_64-linux/arm.so". Copies name and bytes.
///
/// @return LB_OK; LB_E_ARGUMENT for a name that is there already or could lead out of the archive; LB_E_MEMORY
LB_API lb_status lb_add_fmu_file(lb_fmu *fmu, const char *name, const void *bytes, size_t size);

/// Packs all files into an archive. The same files give the same bytes. Allocates.
///
/// @param archive  out: lives until files are added, or the FMU is packed again or destroyed; NULL on failure
/// @param size     out: bytes of the archive
/// @return LB_OK, LB_E_MEMORY, or LB_E_UNSUPPORTED for more than 4 GB
LB_API lb_status lb_form_fmu_archive(lb_fmu *fmu, const unsigned char **archive, size_t *size);

/// Frees an FMU. NULL is allowed.
LB_API void lb_destroy_fmu(lb_fmu *fmu);

#endif // LB_FMU_H
