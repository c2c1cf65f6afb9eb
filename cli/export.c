// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber export --as fmi2|fmi3 MODEL: a model as an FMU.
// limber export --as matrices MODEL --body NAME -o FOLDER: the finite elements of a beam or frame as matrices.
#define _POSIX_C_SOURCE 200809L // fork
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/command.h"
#include "c_name.h"
#include "console.h"
#include "limber/fmu.h"
#include "limber/io.h"
#include "open_parameters.h"
#include "output.h"
#include "progress.h"
#include "scratch.h"
#include "setup.h"

#ifdef LB_WITH_FREEZE

// Names of models have at most 40 characters, those of their files a few more.
enum { NAME_MOST = 64, PATH_MOST = LB_CLI_SCRATCH_SIZE + NAME_MOST };

// ---- binary ------------------------------------------------------------------------------------

static bool write_file(const char *folder, const char *name, const char *bytes, size_t size)
{
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    lb_cli_note_scratch(folder, name);
    FILE *file = fopen(path, "wb");
    const bool good = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && good;
}

// A file of the FMU under its own name, without folders, in another folder.
static bool write_source(const lb_fmu *fmu, int index, const char *folder)
{
    static const char start[] = "sources/";
    const char *name;
    size_t size;
    const char *bytes = lb_get_fmu_file(fmu, index, &name, &size);
    if (strncmp(name, start, sizeof start - 1) != 0) {
        return true;
    }
    return write_file(folder, name + sizeof start - 1, bytes, size);
}

static bool write_sources(const lb_fmu *fmu, lb_fmi_version version, const char *folder)
{
    size_t size;
    const char *header = lb_get_fmi_header(version, &size);
    bool good = write_file(folder, version == LB_FMI_3 ? "fmi3Functions.h" : "fmi2Functions.h",
                           header, size);
    for (int i = 0; good && lb_get_fmu_file(fmu, i, NULL, NULL); ++i) {
        good = write_source(fmu, i, folder);
    }
    return good;
}

// Bytes of the model as C.
static size_t find_size(const lb_fmu *fmu, const char *name)
{
    char path[NAME_MOST];
    const char *file;
    size_t size = 0, found = 0;
    snprintf(path, sizeof path, "sources/%s.c", name);
    for (int i = 0; lb_get_fmu_file(fmu, i, &file, &size); ++i) {
        found = strcmp(file, path) == 0 ? size : found;
    }
    return found;
}

// Runs the compiler in a folder; what it says goes to standard error.
//
// @param size  of the model as C
static bool compile(const char *folder, const char *name, lb_fmi_version version, size_t size)
{
    const char *compiler = getenv("CC");
    compiler = compiler && *compiler ? compiler : "cc";
    char source[NAME_MOST], library[NAME_MOST];
    snprintf(source, sizeof source, "%s.c", name);
    snprintf(library, sizeof library, "%s.so", name);
    // a compiler takes minutes to optimise the long functions of bodies with many modes
    const char *level = size < 500000 ? "-O2" : size < 2000000 ? "-O1" : "-O0";
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0) {
            // the same bits on every machine, and no warnings about the user's model
            execlp(compiler, compiler, "-std=c99", level, "-ffp-contract=off", "-fPIC", "-shared",
                   "-fvisibility=hidden", "-Wl,--no-undefined", "-w", "-I.", "-o", library,
                   version == LB_FMI_3 ? "fmi3.c" : "fmi2.c", source, "-lm", (char *)NULL);
        }
        _exit(127);
    }
    int status = -1;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    if (ended && WEXITSTATUS(status) == 127) {
        lb_cli_complain("no C compiler: '%s' cannot be started. Set CC to one, or use "
                        "--sources-only",
                        compiler);
    } else if (!ended || WEXITSTATUS(status) != 0) {
        lb_cli_complain("the compiler '%s' failed; --sources-only leaves the binary out", compiler);
    }
    return ended && WEXITSTATUS(status) == 0;
}

// The folder of binaries for this machine, as the versions call it; NULL for one that version 2 has no name for.
static const char *get_platform(lb_fmi_version version, char room[96])
{
    struct utsname machine;
    if (uname(&machine) != 0 || strcmp(machine.sysname, "Linux") != 0) {
        return NULL;
    }
    if (version == LB_FMI_2) {
        return strcmp(machine.machine, "x86_64") == 0 ? "linux64" : NULL;
    }
    snprintf(room, 96, "%.64s-linux", machine.machine);
    return room;
}

// Compiles the sources of an FMU in a folder of its own and adds the library.
static bool add_binary(lb_fmu *fmu, const char *name, lb_fmi_version version)
{
    char room[96], path[PATH_MOST], folder[LB_CLI_SCRATCH_SIZE];
    const char *platform = get_platform(version, room);
    if (!platform) {
        lb_cli_complain("FMI %d has no binaries for this machine: use --sources-only",
                        version == LB_FMI_3 ? 3 : 2);
        return false;
    }
    if (!lb_cli_make_scratch(folder)) {
        return false;
    }
    lb_cli_show_waiting("compiling");
    snprintf(path, sizeof path, "%s.so", name);
    lb_cli_note_scratch(folder, path);
    bool good = write_sources(fmu, version, folder);
    if (!good) {
        lb_cli_complain("%s: cannot be written: %s", folder, strerror(errno));
    }
    good = good && compile(folder, name, version, find_size(fmu, name));
    lb_cli_clear_progress();
    char *bytes = NULL;
    size_t size = 0;
    if (good) {
        snprintf(path, sizeof path, "%s/%s.so", folder, name);
        good = lb_read_file(path, (size_t)1 << 31, NULL, NULL, &bytes, &size) == LB_OK;
    }
    lb_cli_remove_scratch(folder);
    if (good) {
        snprintf(path, sizeof path, "binaries/%s/%s.so", platform, name);
        good = lb_cli_check_memory(lb_add_fmu_file(fmu, path, bytes, size)) == LB_OK;
    }
    free(bytes);
    return good;
}

// ---- command -----------------------------------------------------------------------------------

// MODEL.fmu in the present folder, or the path that was given; and its name as a name of C. Both freed by the caller.
static void make_names(const char *model, const char *output, char **path, char **name)
{
    const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model;
    *path = lb_cli_malloc(strlen(output ? output : base) + 5);
    strcpy(*path, output ? output : base);
    if (!output) {
        char *dot = strrchr(*path, '.');
        strcpy(dot ? dot : *path + strlen(*path), ".fmu");
    }
    *name = lb_cli_make_c_name(*path);
}

static bool write_archive(lb_fmu *fmu, const char *path)
{
    const unsigned char *archive;
    size_t size;
    lb_cli_output output;
    if (lb_cli_check_memory(lb_form_fmu_archive(fmu, &archive, &size)) != LB_OK) {
        lb_cli_complain("%s: an archive of more than 4 GB cannot be written", path);
        return false;
    }
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    (void)fwrite(archive, 1, size, output.stream); // closing sees errors and says them
    return lb_cli_close_output(&output, true);
}

// Signals that become outputs, besides those that the model names.
static int add_outputs(const lb_cli_names *names, lb_simulation *simulation)
{
    for (int i = 0; i < names->count; ++i) {
        const lb_status status = lb_add_output(simulation, names->names[i]);
        if (lb_cli_check_memory(status) != LB_OK) {
            // the reason has been told, as those of the model's own outputs are
            lb_cli_complain("export: --signal: '%s' cannot be an output", names->names[i]);
            return LB_CLI_USAGE;
        }
    }
    return LB_CLI_DONE;
}

static lb_status make_fmu(const lb_cli_arguments *arguments, const lb_cli_setup *setup,
                          const char *name, lb_fmi_version version,
                          const lb_freeze_parameters *parameters, const lb_report *report,
                          lb_fmu **fmu)
{
    lb_fmu_options options = lb_default_fmu_options();
    lb_run_options run = lb_default_run_options();
    (void)lb_get_run_options(setup->simulation, &run);
    options.name = name;
    options.version = version;
    options.stop_time = run.duration > 0 ? run.duration : options.stop_time;
    options.output_step = run.interval > 0 ? run.interval : options.output_step;
    options.inputs = lb_cli_get_option(arguments, "inputs");
    options.parameters = parameters->count > 0 ? parameters : NULL;
    options.open_loop = lb_cli_get_option(arguments, "open-loop") != NULL;
    return lb_create_simulation_fmu(setup->simulation, &options, report, fmu);
}

// What the importer has to supply itself, by name.
static void say_left_out(const lb_document *document)
{
    static const char *const keys[] = {"controllers"};
    const lb_place root = lb_get_document_root(document);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const lb_place list = lb_place_at_key(&root, keys[i]);
        const size_t count = lb_place_count_items(&list);
        for (size_t j = 0; j < count; ++j) {
            const lb_place item = lb_place_at_item(&list, j), at = lb_place_at_key(&item, "name");
            fprintf(stderr, "limber: left out: %s[%zu] ", keys[i], j);
            lb_cli_put_text(stderr, lb_place_exists(&at) ? lb_place_get_string(&at) : "");
            fprintf(stderr, "\n");
        }
    }
}

static int export_fmu(const lb_cli_arguments *arguments)
{
    const char *as = lb_cli_get_option(arguments, "as"),
               *output = lb_cli_get_option(arguments, "output");
    const lb_fmi_version version = strcmp(as, "fmi2") == 0 ? LB_FMI_2 : LB_FMI_3;
    if (output && !lb_cli_ends_in(output, ".fmu")) {
        lb_cli_complain("export: --output: '%s' found, expected a name that ends in .fmu", output);
        return LB_CLI_USAGE;
    }
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    char *path, *name;
    lb_cli_setup setup = {.path = arguments->operands[0]};
    lb_fmu *fmu = NULL;
    make_names(arguments->operands[0], output, &path, &name);
    bool good = lb_cli_open_setup(arguments, NULL, 0, &setup);
    lb_cli_open_parameters open = {.list = NULL};
    lb_cli_names outputs = {.count = 0};
    int result = LB_CLI_FAILED;
    if (good) {
        result = lb_cli_read_open_parameters(arguments, setup.document, &open) &&
                         lb_cli_read_names(arguments, "signal", &outputs)
                     ? add_outputs(&outputs, setup.simulation)
                     : LB_CLI_USAGE;
        open.outputs = &outputs;
        good = result == LB_CLI_DONE;
    }
    if (good) {
        const lb_status status =
            make_fmu(arguments, &setup, name, version, &open.given, &report, &fmu);
        if (status != LB_OK && error_count == 0) {
            lb_cli_complain("%s: %s", setup.path, lb_get_status_text(status));
        }
        good = status == LB_OK;
        result = status == LB_E_ARGUMENT ? LB_CLI_USAGE : LB_CLI_FAILED;
    }
    if (good && !lb_cli_get_option(arguments, "sources-only")) {
        good = add_binary(fmu, name, version);
    }
    good = good && write_archive(fmu, path);
    if (good && lb_cli_get_volume() >= 0 && lb_cli_get_option(arguments, "open-loop")) {
        say_left_out(setup.document);
    }
    lb_destroy_fmu(fmu);
    lb_cli_free_open_parameters(&open);
    lb_cli_free_names(&outputs);
    lb_cli_close_setup(&setup);
    free(path);
    free(name);
    return good ? LB_CLI_DONE : result;
}

#else

static int export_fmu(const lb_cli_arguments *arguments)
{
    (void)arguments;
    lb_cli_complain("export: --as: this limber was built without FMUs");
    return LB_CLI_FAILED;
}

#endif

int lb_cli_run_export(const lb_cli_arguments *arguments)
{
    const char *as = lb_cli_get_option(arguments, "as"),
               *body = lb_cli_get_option(arguments, "body"),
               *folder = lb_cli_get_option(arguments, "output"), *model = arguments->operands[0];
    if (as && (strcmp(as, "fmi2") == 0 || strcmp(as, "fmi3") == 0)) {
        return export_fmu(arguments);
    }
    if (as && strcmp(as, "matrices") != 0) {
        lb_cli_complain("export: --as: '%s' found, expected matrices, fmi2 or fmi3", as);
        return LB_CLI_USAGE;
    }
    if (!body || !folder) {
        lb_cli_complain("export: %s is missing: see limber help export",
                        body ? "--output" : "--body");
        return LB_CLI_USAGE;
    }
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    const lb_load_options options = lb_cli_get_load_options(arguments);
    lb_cli_show_waiting("matrices");
    const lb_status status = lb_export_matrices(model, &options, body, folder, &report);
    lb_cli_clear_progress();
    if (status != LB_OK) {
        if (error_count == 0) {
            lb_cli_complain("%s: %s", model, lb_get_status_text(status));
        }
        return LB_CLI_FAILED;
    }
    lb_cli_note_written(folder);
    if (!lb_cli_is_talking()) {
        return LB_CLI_DONE;
    }
    printf("Written to %s; to be read by:  limber import %s/*\n", folder, folder);
    return LB_CLI_DONE;
}
