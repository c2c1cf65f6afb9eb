// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "file_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "freeze/write_c.h"
#include "model/layout.h"

// Of 255 registers of 32 bits, what is left for variables beside angles and addresses. What two blocks of 128
// threads can keep in the 227 kB of shared memory of a multiprocessor. Up to how many values four blocks fit, with 128
// registers per thread. All three were chosen by timings, docs/guide/gpu.md.
enum { REGISTER_MOST = 90, KEPT_MOST = 110, LIVE_OF_FOUR = 95 };

// What one file needs everywhere.
typedef struct file {
    const lb_model *model;
    const char *name, *real;
    lb_c_style style;
} file;

// Names that are the same in every file. In these texts `@` stands for the prefix, `$` for the type of numbers.
static void write_text(lb_page *page, const file *f, const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "@$");
        lb_write(page, "%.*s", (int)length, at);
        at += length;
        if (*at) {
            lb_write(page, "%s", *at == '@' ? f->name : f->real);
            ++at;
        }
    }
}

// ---- one state ---------------------------------------------------------------------------------

static int count_entries(const file *f, const lb_frozen_function *function, int array)
{
    const bool between = array == LB_ARRAY_BETWEEN || array == LB_ARRAY_HANDED;
    return between ? function->slot_count : lb_count_array(f->model, NULL, array);
}

// What a function is called: forward, or forward_part0.
static void write_name(lb_page *page, const file *f, const lb_frozen_function *function)
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

static void write_check(lb_page *page, const file *f, const lb_frozen_function *function)
{
    if (function->piece > 0) {
        const int handed = find_handed(&function->graph);
        if (handed >= 0) {
            lb_write(page,
                     "    if (!%s_are_finite(1, handed + %d * stride, stride)) {\n        return "
                     "-11;\n    }\n",
                     f->name, handed);
        }
        return;
    }
    lb_write(page, "    if (!(");
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        lb_write(page, "%s%s_are_finite(%d, %s, stride)", i ? " && " : "", f->name,
                 lb_count_array(f->model, NULL, array), lb_array_names[array]);
    }
    lb_write(page, ")) {\n        return -10;\n    }\n");
}

static void write_arrays(lb_page *page, const file *f, const lb_frozen_function *function)
{
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, "const %s *%s, ", f->real, lb_array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s *%s, ", f->real, lb_array_names[function->outputs[i]]);
    }
    lb_write(page, "long long stride, volatile %s *kept)\n{\n", f->real);
}

static bool write_function(lb_page *page, const file *f, const lb_frozen_function *function,
                           int *kept)
{
    lb_c_cost cost;
    lb_write(page, "static %s_device int ", f->name);
    write_name(page, f, function);
    lb_write(page, "(");
    write_arrays(page, f, function);
    write_check(page, f, function);
    const bool good = lb_write_body(page, &function->graph, &f->style, &cost);
    lb_write(page, "}\n\n");
    *kept = cost.kept;
    return good;
}

// For the host: the parts one after the other.
static void write_joined(lb_page *page, const file *f, const lb_frozen_function *parts)
{
    lb_frozen_function whole = parts[0];
    --whole.output_count; // between
    lb_write(page, "#ifndef __CUDACC__\nstatic inline int %s_%s(", f->name, whole.name);
    write_arrays(page, f, &whole);
    lb_write(page, "    static %s between[%d];\n    int told, status = 0;\n", f->real,
             whole.slot_count);
    for (int k = 0; k < whole.piece_count; ++k) {
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
        lb_write(page, "stride, kept);\n    if (told < 0) {\n        return told;\n    }\n"
                       "    status = told ? told : status;\n");
    }
    lb_write(page, "    return status;\n}\n#endif\n\n");
}

// ---- many states -------------------------------------------------------------------------------

// A failure is noted by the first state that has it: 0 singular, 1 not finite, 2 indefinite.
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
    "// The first state with each kind of trouble: singular, not finite, indefinite\n"
    "static __device__ __noinline__ void @_report(int status, long long state, unsigned long long "
    "*trouble)\n"
    "{\n"
    "    atomicMin(trouble + (status == -4 ? 0 : status == -10 ? 1 : 2), (unsigned long "
    "long)state);\n"
    "}\n"
    "\n"
    "static __device__ __noinline__ void @_spoil(int count, $ *x, long long stride)\n"
    "{\n"
    "    for (int i = 0; i < count; ++i) {\n"
    "        x[i * stride] = ($)__int_as_float(0x7fc00000);\n"
    "    }\n"
    "}\n"
    "\n";

static void write_kernel(lb_page *page, const file *f, const lb_frozen_function *function)
{
    lb_write(page, "%s_kernel(%d) ", f->name,
             function->live <= LIVE_OF_FOUR && function->piece_count == 1 ? 4 : 1);
    write_name(page, f, function);
    lb_write(page, "_kernel(long long count");
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, ", const %s *__restrict__ %s", f->real, lb_array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, ", %s *__restrict__ %s", f->real, lb_array_names[function->outputs[i]]);
    }
    write_text(page, f,
               ", unsigned long long *trouble)\n{\n"
               "    const long long i = (long long)blockIdx.x * @_THREADS + threadIdx.x;\n"
               "    if (i >= count) {\n        return;\n    }\n"
               "    @_KEPT_ARRAY\n"
               "    const int status = ");
    write_name(page, f, function);
    lb_write(page, "(");
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, "%s + i, ", lb_array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s + i, ", lb_array_names[function->outputs[i]]);
    }
    write_text(page, f,
               "count, kept);\n    if (status && status != -11) {\n        @_report(status, i, "
               "trouble);\n    }\n"
               "    if (status < 0) {\n");
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "        %s_spoil(%d, %s + i, count);\n", f->name,
                 count_entries(f, function, function->outputs[i]),
                 lb_array_names[function->outputs[i]]);
    }
    lb_write(page, "    }\n}\n\n");
}

// ---- motion in time ----------------------------------------------------------------------------

static void write_unit_quaternions(lb_page *page, const file *f)
{
    for (int body = 0; body < f->model->body_count; ++body) {
        const lb_body *b = lb_get_record(f->model, body);
        const int k = b->hinge_q;
        if (b->nq == 4 || b->nq == 7) { // a quaternion comes first
            lb_write(page,
                     "    {\n        const %s s = 1 / sqrt%s(q[%d] * q[%d] + q[%d] * q[%d] + q[%d] "
                     "* q[%d] + q[%d] * q[%d]);\n",
                     f->real, f->style.is_float ? "f" : "", k, k, k + 1, k + 1, k + 2, k + 2, k + 3,
                     k + 3);
            for (int i = k; i < k + 4; ++i) {
                lb_write(page, "        q[%d] *= s;\n", i);
            }
            lb_write(page, "    }\n");
        }
    }
}

// The steps of the engine, src/integrate/fixed_step.c.
static const char step_text[] =
    "// One step of length h by the classical method of Runge and Kutta with constant tau\n"
    "static @_device int @_step($ h, const $ *tau, $ *q, $ *v, volatile $ *kept)\n"
    "{\n"
    "    $ q_now[@_Q], v_now[@_V], q_sum[@_Q], v_sum[@_V];\n"
    "    int status = 0;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q_now[i] = q[i];\n"
    "        q_sum[i] = 0;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v_now[i] = v[i];\n"
    "        v_sum[i] = 0;\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    for (int stage = 0; stage < 4; ++stage) {\n"
    "        const $ weight = stage == 0 || stage == 3 ? 1 : 2;\n"
    "        const $ reach = stage == 2 ? h : ($)0.5 * h;\n"
    "        $ q_dot[@_Q], a[@_V];\n"
    "        const int told = @_rates(q_now, v_now, tau, a, q_dot, 1, kept);\n"
    "        status = told ? told : status;\n"
    "        if (told < 0) {\n"
    "            return told;\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < @_Q; ++i) {\n"
    "            q_sum[i] += weight * q_dot[i];\n"
    "            q_now[i] = q[i] + reach * q_dot[i];\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < @_V; ++i) {\n"
    "            v_sum[i] += weight * a[i];\n"
    "            v_now[i] = v[i] + reach * a[i];\n"
    "        }\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q[i] += h / 6 * q_sum[i];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v[i] += h / 6 * v_sum[i];\n"
    "    }\n";

static const char simulate_text[] =
    "@_kernel(1) @_simulate_rk4_kernel(long long count, long long step_count, $ h, const $ "
    "*__restrict__ tau,\n"
    "    $ *__restrict__ q_all, $ *__restrict__ v_all, unsigned long long *trouble)\n"
    "{\n"
    "    const long long i = (long long)blockIdx.x * @_THREADS + threadIdx.x;\n"
    "    $ q[@_Q], v[@_V], force[@_V];\n"
    "    int status = 0;\n"
    "    @_KEPT_ARRAY\n"
    "    if (i >= count) {\n"
    "        return;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q[j] = q_all[j * count + i];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v[j] = v_all[j * count + i];\n"
    "        force[j] = tau[j * count + i];\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    for (long long step = 0; step < step_count && status >= 0; ++step) {\n"
    "        const int told = @_step(h, force, q, v, kept);\n"
    "        status = told ? told : status;\n"
    "    }\n"
    "    if (status) {\n"
    "        @_report(status, i, trouble);\n"
    "    }\n"
    "    if (status < 0) {\n"
    "        @_spoil(@_Q, q_all + i, count);\n"
    "        @_spoil(@_V, v_all + i, count);\n"
    "        return;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q_all[j * count + i] = q[j];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v_all[j * count + i] = v[j];\n"
    "    }\n"
    "}\n"
    "\n";

// ---- all ---------------------------------------------------------------------------------------

static void write_numbers(lb_page *page, const file *f)
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

static void write_head(lb_page *page, const file *f)
{
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    write_text(page, f,
               "', frozen by limber " LB_VERSION
               " as CUDA: one thread per state. Entry j of state i of an array is at\n"
               "// [j * count + i]. Tags such as (ABA-2) are equations of the theory of limber.\n"
               "//\n"
               "// A compiler for the host takes the functions of one state, for tests; the "
               "kernels are for the device.\n\n");
    lb_write(page, "#define %s_Q %d // entries of q\n#define %s_V %d // entries of v, tau and a\n",
             f->name, f->model->q_count, f->name, f->model->v_count);
    write_text(page, f,
               "#ifndef @_THREADS\n#define @_THREADS 128 // in a block\n#endif\n"
               "#ifdef __CUDACC__\n#define KEPT_STRIDE @_THREADS\n#else\n#define KEPT_STRIDE "
               "1\n#endif\n");
}

static bool write_all(lb_page *page, const file *f, int count, const lb_frozen_function *functions)
{
    lb_page text = {.text = NULL}, kernels = {.text = NULL};
    bool good = true, with_step = false;
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
        if (functions[i].with_step) {
            lb_write(page, "#define %s_simulate_rk4_KEPT %d\n", f->name, kept);
        }
        write_kernel(&kernels, f, &functions[i]);
        with_step = with_step || functions[i].with_step;
    }
    if (good) {
        lb_write_cuda_helpers(page, &f->style);
        write_numbers(page, f);
        lb_write(page, "%s", text.text);
        if (with_step) {
            write_text(page, f, step_text);
            write_unit_quaternions(page, f);
            lb_write(page, "    return status;\n}\n\n");
        }
        write_text(page, f, trouble_text);
        lb_write(page, "%s", kernels.text);
        if (with_step) {
            write_text(page, f, simulate_text);
        }
        lb_write(page, "#endif\n");
    }
    good = good && !text.out_of_memory && !kernels.out_of_memory;
    free(text.text);
    free(kernels.text);
    return good && !page->out_of_memory;
}

bool lb_write_cuda_file(const lb_model *model, const lb_freeze_options *options, int count,
                        const lb_frozen_function *functions, lb_page *source)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    lb_number_table numbers = {.values = NULL};
    file f = {.model = model,
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
