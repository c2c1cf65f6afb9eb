// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "export/freeze/freeze_all.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_file.h"
#include "model/layout.h"

// Of 255 registers of 32 bits, what is left for variables beside angles and addresses. What two blocks of 128
// threads can keep in the 227 kB of shared memory of a multiprocessor. Up to how many values four blocks fit, with 128
// registers per thread. All three were chosen by timings, docs/guide/gpu.md.
enum { REGISTER_MOST = 90, KEPT_MOST = 110, LIVE_OF_FOUR = 95 };

// Numbers that fit into the 2 kB that a multiprocessor has next to it for constants. With more of them, most are fetched
// from further away, and a number that is written out is faster: two instructions, but nothing to wait for.
// Such numbers take registers, so that fewer are left for variables.
enum { NUMBER_MOST = 256, REGISTER_MOST_BESIDE = 80 };

void lb_write_cuda_text(lb_page *page, const lb_cuda_file *f, const char *text, const char *word)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "@$~");
        lb_write(page, "%.*s", (int)length, at);
        at += length;
        if (*at == '~') {
            lb_write_cuda_text(page, f, word, "");
        } else if (*at) {
            lb_write(page, "%s", *at == '@' ? f->name : f->real);
        }
        at += *at != 0;
    }
}

// ---- one state ---------------------------------------------------------------------------------

static int count_entries(const lb_cuda_file *f, const lb_frozen_function *function, int array)
{
    const bool between = array == LB_ARRAY_BETWEEN || array == LB_ARRAY_HANDED;
    return between ? function->slot_count : lb_count_array(f->model, f->sample, array);
}

// What a function is called: forward, or forward_part0.
static void write_name(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *function)
{
    lb_write(page, "%s_%s", f->name, function->name);
    if (function->piece_count > 1) {
        lb_write(page, "_part%d", function->piece);
    }
}

// An entry that another part has handed on: NaN if the state has failed there.
static int find_handed(const lb_graph *graph)
{
    for (int i = 0; i < graph->node_count; ++i) {
        if (graph->nodes[i].op == LB_OP_INPUT && graph->nodes[i].a == LB_ARRAY_HANDED) {
            return graph->nodes[i].b;
        }
    }
    return -1;
}

static void write_check(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *function)
{
    if (function->piece > 0) {
        const int handed = find_handed(&function->graph);
        if (handed >= 0) {
            lb_write(page,
                     "    if (!%s_are_finite(1, handed + %d * room, room)) {\n        return "
                     "-11;\n    }\n",
                     f->name, handed);
        }
        return;
    }
    lb_write(page, "    if (!(");
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        lb_write(page, "%s%s_are_finite(%d, %s, stride)", i ? " && " : "", f->name,
                 lb_count_array(f->model, f->sample, array), lb_array_names[array]);
    }
    lb_write(page, ")) {\n        return -10;\n    }\n");
}

static void write_arrays(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *function)
{
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, "const %s *%s, ", f->real, lb_array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s *%s, ", f->real, lb_array_names[function->outputs[i]]);
    }
    // what parts hand on is apart by another stride
    lb_write(page, "long long stride%s, volatile %s *kept)\n{\n",
             function->piece_count > 1 ? ", long long room" : "", f->real);
}

// Constants of a graph, at most; equal ones are one node.
static int count_constants(const lb_graph *graph)
{
    int count = 0;
    for (int i = 0; i < graph->node_count; ++i) {
        count += graph->nodes[i].op == LB_OP_CONSTANT;
    }
    return count;
}

static bool write_function(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *function,
                           int *kept)
{
    lb_c_cost cost;
    lb_c_style style = f->style;
    if (style.numbers && count_constants(&function->graph) > NUMBER_MOST) {
        style.numbers = NULL;
        style.register_count = REGISTER_MOST_BESIDE;
    }
    lb_write(page, "static %s_device int ", f->name);
    write_name(page, f, function);
    lb_write(page, "(");
    write_arrays(page, f, function);
    write_check(page, f, function);
    const bool good = lb_write_body(page, &function->graph, &style, &cost);
    lb_write(page, "}\n\n");
    *kept = cost.kept;
    return good;
}

// For the host: the parts one after the other.
static void write_joined(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *parts)
{
    lb_frozen_function whole = parts[0];
    const int piece_count = whole.piece_count;
    --whole.output_count; // between
    whole.piece_count = 1;
    lb_write(page, "#ifndef __CUDACC__\nstatic inline int %s_%s(", f->name, whole.name);
    write_arrays(page, f, &whole);
    lb_write(page, "    static %s between[%d];\n    int told, status = 0;\n", f->real,
             whole.slot_count);
    for (int k = 0; k < piece_count; ++k) {
        lb_write(page, "    told = ");
        write_name(page, f, &parts[k]);
        lb_write(page, "(");
        for (int i = 0; i < parts[k].input_count; ++i) {
            const int array = parts[k].inputs[i];
            lb_write(page, "%s, ",
                     lb_array_names[array == LB_ARRAY_HANDED ? LB_ARRAY_BETWEEN : array]);
        }
        for (int i = 0; i < parts[k].output_count; ++i) {
            lb_write(page, "%s, ", lb_array_names[parts[k].outputs[i]]);
        }
        lb_write(page, "stride, 1, kept);\n    if (told < 0) {\n        return told;\n    }\n"
                       "    status = told ? told : status;\n");
    }
    lb_write(page, "    return status;\n}\n#endif\n\n");
}

// ---- many states -------------------------------------------------------------------------------

// A failure is noted by the first state that has it: what lb_get_cuda_failure names, in its order.
static const char trouble_text[] =
    "#ifdef __CUDACC__\n"
    "// What registers do not hold is in shared memory, one column per thread.\n"
    "#define @_KEPT_ARRAY \\\n"
    "    extern __shared__ double @_shared[]; \\\n"
    "    volatile $ *kept = ($ *)@_shared + threadIdx.x;\n"
    "\n"
    "// blocks: at a time on a multiprocessor, at least\n"
    "#ifdef @_BLOCKS\n"
    "#define @_kernel(blocks) extern \"C\" __global__ void __launch_bounds__(@_THREADS, "
    "@_BLOCKS)\n"
    "#else\n"
    "#define @_kernel(blocks) extern \"C\" __global__ void __launch_bounds__(@_THREADS, blocks)\n"
    "#endif\n"
    "\n"
    "// The first state with each kind of trouble: singular, not finite, open loop, step not "
    "solved, indefinite\n"
    "static __device__ __noinline__ void @_report(int status, long long state, unsigned long long "
    "*trouble)\n"
    "{\n"
    "    const int kind = status == -4 ? 0 : status == -10 ? 1 : status == -13 ? 2 : status == -9 "
    "? "
    "3 : 4;\n"
    "    atomicMin(trouble + kind, (unsigned long long)state);\n"
    "}\n"
    "\n"
    "static __device__ __noinline__ void @_spoil(int count, $ *x, long long stride)\n"
    "{\n"
    "    for (int i = 0; i < count; ++i) {\n"
    "        x[i * stride] = ($)__int_as_float(0x7fc00000);\n"
    "    }\n"
    "}\n"
    "\n";

// Parts take `room` states at a time from `first` on, so that what they hand on stays in the cache.
static void write_kernel(lb_page *page, const lb_cuda_file *f, const lb_frozen_function *function)
{
    const bool part = function->piece_count > 1;
    lb_write(page, "%s_kernel(%d) ", f->name, function->live <= LIVE_OF_FOUR && !part ? 4 : 1);
    write_name(page, f, function);
    lb_write(page, "_kernel(long long count%s", part ? ", long long first, long long room" : "");
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        lb_write(page, array == LB_ARRAY_TIME ? ", %s t" : ", const %s *__restrict__ ", f->real);
        lb_write(page, "%s", array == LB_ARRAY_TIME ? "" : lb_array_names[array]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, ", %s *__restrict__ %s", f->real, lb_array_names[function->outputs[i]]);
    }
    lb_write_cuda_text(page, f,
                       ", unsigned long long *trouble)\n{\n"
                       "    const long long k = (long long)blockIdx.x * @_THREADS + threadIdx.x;\n"
                       "    const long long i = ~k;\n",
                       part ? "first + " : "");
    lb_write_cuda_text(page, f,
                       "    if (~i >= count) {\n        return;\n    }\n"
                       "    @_KEPT_ARRAY\n"
                       "    const int status = ",
                       part ? "k >= room || " : "");
    write_name(page, f, function);
    lb_write(page, "(");
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        lb_write(page,
                 array == LB_ARRAY_TIME     ? "&t, "
                 : array == LB_ARRAY_HANDED ? "%s + k, "
                                            : "%s + i, ",
                 lb_array_names[array]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        const int array = function->outputs[i];
        lb_write(page, array == LB_ARRAY_BETWEEN ? "%s + k, " : "%s + i, ", lb_array_names[array]);
    }
    lb_write_cuda_text(page, f,
                       "count, ~kept);\n    if (status && status != -11) {\n        "
                       "@_report(status, i, trouble);\n    }\n"
                       "    if (status < 0) {\n",
                       part ? "room, " : "");
    for (int i = 0; i < function->output_count; ++i) {
        const int array = function->outputs[i];
        lb_write(page,
                 array == LB_ARRAY_BETWEEN ? "        %s_spoil(%d, %s + k, room);\n"
                                           : "        %s_spoil(%d, %s + i, count);\n",
                 f->name, count_entries(f, function, array), lb_array_names[array]);
    }
    lb_write(page, "    }\n}\n\n");
}

// ---- all ---------------------------------------------------------------------------------------

static void write_numbers(lb_page *page, const lb_cuda_file *f)
{
    const lb_number_table *table = f->style.numbers;
    if (!table || !table->count) {
        return;
    }
    lb_write(page, "static %s_constant double %s_numbers[%d] = {", f->name, f->name, table->count);
    for (int i = 0; i < table->count; ++i) {
        lb_write(page, i % 4 ? " " : "\n    ");
        lb_write_number(page, table->values[i], false);
        lb_write(page, i + 1 < table->count ? "," : "};\n\n");
    }
}

static void write_head(lb_page *page, const lb_cuda_file *f)
{
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    lb_write_cuda_text(
        page, f,
        "', frozen by limber " LB_VERSION
        " as CUDA: one thread per state. Entry j of state i of an array is at\n"
        "// [j * count + i]. Tags such as (ABA-2) are equations of the theory of limber.\n"
        "//\n"
        "// A compiler for the host takes the functions of one state, for tests; the "
        "kernels are for the device.\n\n",
        "");
    const bool timed = f->sample->lists != NULL;
    lb_write(page,
             "#define %s_Q %d // entries of q\n#define %s_V %d // entries of v, tau and a\n"
             "#define %s_U %d // inputs\n#define %s_Y %d // outputs\n",
             f->name, f->model->q_count, f->name, f->model->v_count, f->name,
             timed ? lb_count_array(f->model, f->sample, LB_ARRAY_U) : 0, f->name,
             timed ? lb_count_array(f->model, f->sample, LB_ARRAY_Y) : 0);
    lb_write(page, "#define %s_GAPS %d // errors of loops\n#define %s_NUMBER %s\n", f->name,
             lb_count_array(f->model, f->sample, LB_ARRAY_GAP), f->name, f->real);
    lb_write_cuda_text(page, f,
                       "#ifndef @_THREADS\n#define @_THREADS 128 // in a block\n#endif\n"
                       "#ifdef __CUDACC__\n#define KEPT_STRIDE @_THREADS\n#else\n#define "
                       "KEPT_STRIDE 1\n#endif\n",
                       "");
}

// What steps call, and what they need.
static void note_steps(const lb_frozen_function *function, int kept, lb_cuda_steps *steps)
{
    steps->methods |= function->methods;
    steps->is_timed = steps->is_timed || (function->with_rates && function->part);
    steps->is_placed = steps->is_placed || function->replaces;
    const bool closes = function->is_private && strcmp(function->name, "close_speeds") == 0;
    steps->is_closed = steps->is_closed || closes;
    steps->closes_in_time = steps->closes_in_time || (closes && function->part);
    const bool called = function->with_rates || function->replaces || function->is_private;
    steps->kept = called && kept > steps->kept ? kept : steps->kept;
}

static void write_step_needs(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps)
{
    static const char *const names[] = {"simulate_rk4", "simulate_euler", "simulate_alpha",
                                        "close"};
    for (int i = 0; i < 4; ++i) {
        if (i < 3 ? steps->methods & 1 << i : steps->is_closed) {
            lb_write(page, "#define %s_%s_KEPT %d\n", f->name, names[i], steps->kept);
        }
    }
}

static bool write_all(lb_page *page, const lb_cuda_file *f, int count,
                      const lb_frozen_function *functions)
{
    lb_page text = {.text = NULL}, kernels = {.text = NULL};
    lb_cuda_steps steps = {.methods = 0};
    bool good = true;
    write_head(page, f);
    for (int i = 0; good && i < count; ++i) {
        int kept = 0;
        good = write_function(&text, f, &functions[i], &kept);
        lb_write(page, "#define ");
        write_name(page, f, &functions[i]);
        lb_write(page, "_KEPT %d // numbers per thread in shared memory\n", kept);
        if (functions[i].piece_count > 1 && functions[i].piece == functions[i].piece_count - 1) {
            write_joined(&text, f, &functions[i - functions[i].piece]);
            lb_write(page, "#define %s_%s_PARTS %d\n#define %s_%s_BETWEEN %d\n", f->name,
                     functions[i].name, functions[i].piece_count, f->name, functions[i].name,
                     functions[i].slot_count);
        }
        note_steps(&functions[i], kept, &steps);
        if (!functions[i].is_private && !functions[i].replaces) { // others call these
            write_kernel(&kernels, f, &functions[i]);
        }
    }
    if (good) {
        write_step_needs(page, f, &steps);
        lb_write_cuda_helpers(page, &f->style);
        write_numbers(page, f);
        lb_write(page, "%s", text.text);
        lb_write_cuda_steps(page, f, &steps);
        lb_write_cuda_text(page, f, trouble_text, "");
        lb_write(page, "%s", kernels.text ? kernels.text : "");
        lb_write_cuda_step_kernels(page, f, &steps);
        lb_write(page, "#endif\n");
    }
    good = good && !text.out_of_memory && !kernels.out_of_memory;
    free(text.text);
    free(kernels.text);
    return good && !page->out_of_memory;
}

bool lb_write_cuda_file(const lb_model *model, const lb_freeze_options *options,
                        const lb_sample *sample, int count, const lb_frozen_function *functions,
                        lb_page *source)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    lb_number_table numbers = {.values = NULL};
    lb_cuda_file f = {.model = model,
                      .sample = sample,
                      .name = options->name,
                      .real = is_float ? "float" : "double",
                      .style = {.prefix = options->name,
                                .is_float = is_float,
                                .array_names = lb_array_names,
                                .is_cuda = true,
                                .register_count = REGISTER_MOST,
                                .kept_most = KEPT_MOST,
                                .numbers = is_float ? NULL : &numbers}};
    const char **names = calloc((size_t)model->body_count + 1, sizeof *names);
    bool good = names != NULL;
    for (int i = 0; good && i < model->body_count; ++i) {
        names[i] = lb_get_body_name(model, i);
    }
    f.style.body_names = names;
    good = good && write_all(source, &f, count, functions);
    free(names);
    free(numbers.values);
    return good;
}
