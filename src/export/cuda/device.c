// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "cuda_clock.h"

// Numbers of cuda.h.
enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    DEVICE_MULTIPROCESSOR_COUNT = 16,
    DEVICE_MAJOR = 75,
    DEVICE_MINOR = 76,
    DEVICE_SHARED_IF_ASKED = 97,
    FUNCTION_THREADS = 0,
    FUNCTION_LOCAL = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_DYNAMIC_SHARED = 8,
    LAUNCH_PROGRAMMATIC = 6,
    SHARED_WITHOUT_ASKING = 48 * 1024
};

lb_status lb_fail_cuda(lb_cuda *cuda, lb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cuda->message = (lb_text){.length = 0};
    lb_text_add_list(&cuda->message, format, arguments);
    va_end(arguments);
    return status;
}

lb_status lb_report_cuda(lb_cuda *cuda, const lb_report *report, lb_status status)
{
    if (status != LB_OK && report && report->emit) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .path = "",
                                          .message = cuda->message.data};
        report->emit(report->user, &diagnostic);
    }
    return status;
}

// What a call of the driver returned.
static lb_status judge(lb_cuda *cuda, int error, const char *what)
{
    const char *name = NULL, *text = NULL;
    if (error == 0) {
        return LB_OK;
    }
    cuda->driver.cuGetErrorName(error, &name);
    cuda->driver.cuGetErrorString(error, &text);
    return lb_fail_cuda(cuda, error == CUDA_ERROR_OUT_OF_MEMORY ? LB_E_MEMORY : LB_E_UNSUPPORTED,
                        "%s: %s (%s)", what, text ? text : "unknown error", name ? name : "?");
}

// ---- the context of the thread -----------------------------------------------------------------

static lb_status enter(lb_cuda *cuda)
{
    return judge(cuda, cuda->driver.cuCtxPushCurrent_v2(cuda->context), "context");
}

static lb_status leave(lb_cuda *cuda, int error, const char *what)
{
    void *context;
    const lb_status status = judge(cuda, error, what);
    cuda->driver.cuCtxPopCurrent_v2(&context);
    return status;
}

// ---- opening -----------------------------------------------------------------------------------

static lb_status open_device(lb_cuda *cuda, int index)
{
    const lb_driver *d = &cuda->driver;
    int count = 0;
    if (lb_load_driver(&cuda->driver, &cuda->message) != LB_OK) {
        return LB_E_UNSUPPORTED;
    }
    lb_status status = judge(cuda, d->cuInit(0), "no device");
    if (status == LB_OK) {
        status = judge(cuda, d->cuDeviceGetCount(&count), "no device");
    }
    if (status == LB_OK && (index < 0 || index >= count)) {
        return lb_fail_cuda(cuda, LB_E_UNSUPPORTED, "no device %d: the driver has %d", index,
                            count);
    }
    if (status == LB_OK) {
        status = judge(cuda, d->cuDeviceGet(&cuda->device, index), "no device");
    }
    if (status == LB_OK) {
        d->cuDeviceGetName(cuda->name, (int)sizeof cuda->name, cuda->device);
        d->cuDeviceGetAttribute(&cuda->major, DEVICE_MAJOR, cuda->device);
        d->cuDeviceGetAttribute(&cuda->minor, DEVICE_MINOR, cuda->device);
        d->cuDeviceGetAttribute(&cuda->multiprocessor_count, DEVICE_MULTIPROCESSOR_COUNT,
                                cuda->device);
        cuda->shared_bytes = SHARED_WITHOUT_ASKING;
        d->cuDeviceGetAttribute(&cuda->shared_bytes, DEVICE_SHARED_IF_ASKED, cuda->device);
        status = judge(cuda, d->cuDevicePrimaryCtxRetain(&cuda->context, cuda->device), "context");
    }
    if (status == LB_OK && (status = enter(cuda)) == LB_OK) {
        int error = d->cuEventCreate(&cuda->start, 0);
        error = error ? error : d->cuEventCreate(&cuda->end, 0);
        status = leave(cuda, error, "clock");
    }
    return status;
}

lb_status lb_create_cuda(const lb_cuda_options *options, const lb_report *report, lb_cuda **cuda)
{
    lb_cuda_options own = lb_default_cuda_options();
    *cuda = NULL;
    lb_cuda *made = calloc(1, sizeof *made);
    if (!made) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    if (options && lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_cuda_options, index),
                                 options) != LB_OK) {
        status = lb_fail_cuda(made, LB_E_VERSION,
                              "a struct of %zu bytes, but this version of limber knows %zu: it "
                              "comes from a program built for a newer version",
                              options->size, sizeof own);
    }
    if (status == LB_OK) {
        made->stream = own.stream;
        status = open_device(made, own.index);
    }
    if (status != LB_OK) {
        (void)lb_report_cuda(made, report, status);
        lb_destroy_cuda(made);
        return status;
    }
    *cuda = made;
    return LB_OK;
}

void lb_destroy_cuda(lb_cuda *cuda)
{
    if (cuda && cuda->context) {
        for (int i = 0; i < LB_KEPT_MODULES; ++i) {
            lb_destroy_cuda_module(cuda, cuda->kept[i].module);
        }
        if (enter(cuda) == LB_OK) {
            int error = cuda->start ? cuda->driver.cuEventDestroy_v2(cuda->start) : 0;
            error |= cuda->end ? cuda->driver.cuEventDestroy_v2(cuda->end) : 0;
            leave(cuda, error, "clock");
        }
        cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->device);
    }
    free(cuda);
}

const char *lb_get_cuda_name(const lb_cuda *cuda)
{
    return cuda->name;
}

const char *lb_get_cuda_message(const lb_cuda *cuda)
{
    return cuda->message.data;
}

// ---- time --------------------------------------------------------------------------------------

lb_status lb_wait_for_cuda(lb_cuda *cuda)
{
    const lb_status status = enter(cuda);
    return status == LB_OK ? leave(cuda, cuda->driver.cuStreamSynchronize(cuda->stream), "work")
                           : status;
}

lb_status lb_start_cuda_clock(lb_cuda *cuda)
{
    const lb_status status = enter(cuda);
    return status == LB_OK
               ? leave(cuda, cuda->driver.cuEventRecord(cuda->start, cuda->stream), "clock")
               : status;
}

lb_status lb_stop_cuda_clock(lb_cuda *cuda, double *seconds)
{
    const lb_driver *d = &cuda->driver;
    float milliseconds = 0;
    lb_status status = enter(cuda);
    if (status == LB_OK) {
        int error = d->cuEventRecord(cuda->end, cuda->stream);
        error = error ? error : d->cuEventSynchronize(cuda->end);
        error = error ? error : d->cuEventElapsedTime(&milliseconds, cuda->start, cuda->end);
        status = leave(cuda, error, "work");
    }
    *seconds = 1e-3 * (double)milliseconds;
    return status;
}

// ---- memory ------------------------------------------------------------------------------------

static lb_cuda_address get_address(const void *memory)
{
    return (lb_cuda_address)(size_t)memory;
}

lb_status lb_allocate_on_cuda(lb_cuda *cuda, size_t size, void **memory)
{
    lb_cuda_address address = 0;
    lb_status status = enter(cuda);
    *memory = NULL;
    if (status == LB_OK) {
        status = leave(cuda, cuda->driver.cuMemAlloc_v2(&address, size ? size : 1),
                       "memory on the device");
    }
    if (status == LB_OK) {
        *memory = (void *)(size_t)address;
    }
    return status;
}

void lb_release_on_cuda(lb_cuda *cuda, void *memory)
{
    if (memory && enter(cuda) == LB_OK) {
        leave(cuda, cuda->driver.cuMemFree_v2(get_address(memory)), "memory on the device");
    }
}

lb_status lb_copy_to_cuda(lb_cuda *cuda, void *device_memory, const void *source, size_t size)
{
    lb_status status = enter(cuda);
    if (status == LB_OK) {
        int error = cuda->driver.cuMemcpyHtoDAsync_v2(get_address(device_memory), source, size,
                                                      cuda->stream);
        error = error ? error : cuda->driver.cuStreamSynchronize(cuda->stream);
        status = leave(cuda, error, "copying to the device");
    }
    return status;
}

lb_status lb_copy_from_cuda(lb_cuda *cuda, void *target, const void *device_memory, size_t size)
{
    lb_status status = enter(cuda);
    if (status == LB_OK) {
        int error = cuda->driver.cuMemcpyDtoHAsync_v2(target, get_address(device_memory), size,
                                                      cuda->stream);
        error = error ? error : cuda->driver.cuStreamSynchronize(cuda->stream);
        status = leave(cuda, error, "copying from the device");
    }
    return status;
}

lb_status lb_fill_on_cuda(lb_cuda *cuda, void *memory, unsigned char value, size_t size)
{
    const lb_status status = enter(cuda);
    return status == LB_OK
               ? leave(cuda,
                       cuda->driver.cuMemsetD8Async(get_address(memory), value, size, cuda->stream),
                       "filling memory")
               : status;
}

// ---- kernels -----------------------------------------------------------------------------------

struct lb_cuda_module {
    void *module;
};

lb_status lb_compile_for_cuda(lb_cuda *cuda, const char *source, const char *file_name,
                              int option_count, const char *const *options, lb_cuda_module **module)
{
    char architecture[32], *cubin = NULL;
    size_t size;
    *module = NULL;
    cuda->message = (lb_text){.length = 0};
    if (!cuda->has_nvrtc && lb_load_nvrtc(&cuda->nvrtc, &cuda->message) != LB_OK) {
        return LB_E_UNSUPPORTED;
    }
    cuda->has_nvrtc = true;
    lb_text name = {.length = 0};
    lb_text_add(&name, "sm_%d%d", cuda->major, cuda->minor);
    strncpy(architecture, name.data, sizeof architecture - 1);
    architecture[sizeof architecture - 1] = 0;
    lb_status status = lb_compile_cuda_text(&cuda->nvrtc, architecture, source, file_name,
                                            option_count, options, &cubin, &size, &cuda->message);
    lb_cuda_module *made = status == LB_OK ? calloc(1, sizeof *made) : NULL;
    if (status == LB_OK && !made) {
        status = lb_fail_cuda(cuda, LB_E_MEMORY, "out of memory");
    }
    if (status == LB_OK && (status = enter(cuda)) == LB_OK) {
        status = leave(cuda, cuda->driver.cuModuleLoadData(&made->module, cubin), file_name);
    }
    free(cubin);
    if (status != LB_OK) {
        free(made);
        return status;
    }
    *module = made;
    return LB_OK;
}

void lb_destroy_cuda_module(lb_cuda *cuda, lb_cuda_module *module)
{
    if (module && enter(cuda) == LB_OK) {
        leave(cuda, cuda->driver.cuModuleUnload(module->module), "kernels");
    }
    free(module);
}

lb_status lb_get_cuda_kernel(lb_cuda *cuda, const lb_cuda_module *module, const char *name,
                             lb_cuda_kernel *kernel)
{
    const lb_driver *d = &cuda->driver;
    lb_status status = enter(cuda);
    *kernel = (lb_cuda_kernel){.function = NULL};
    if (status == LB_OK) {
        void *f = NULL;
        int error = d->cuModuleGetFunction(&f, module->module, name);
        error =
            error ? error : d->cuFuncGetAttribute(&kernel->register_count, FUNCTION_REGISTERS, f);
        error = error ? error : d->cuFuncGetAttribute(&kernel->local_bytes, FUNCTION_LOCAL, f);
        error =
            error ? error : d->cuFuncGetAttribute(&kernel->most_thread_count, FUNCTION_THREADS, f);
        kernel->function = f;
        status = leave(cuda, error, name);
    }
    return status;
}

lb_status lb_take_cuda_kernels(lb_cuda *cuda, const char *source, const char *file_name,
                               int kernel_count, const char *const *names, lb_cuda_kernel *kernels)
{
    int i = 0;
    while (i < LB_KEPT_MODULES - 1 && cuda->kept[i].source && cuda->kept[i].source != source) {
        ++i;
    }
    lb_status status = LB_OK;
    if (cuda->kept[i].source != source) {
        status = lb_compile_for_cuda(cuda, source, file_name, 0, NULL, &cuda->kept[i].module);
        cuda->kept[i].source = status == LB_OK ? source : NULL;
    }
    for (int k = 0; k < kernel_count && status == LB_OK; ++k) {
        status = lb_get_cuda_kernel(cuda, cuda->kept[i].module, names[k], &kernels[k]);
    }
    return status;
}

// More than a block has without asking.
static int ask_for_shared(const lb_driver *d, const lb_cuda_kernel *kernel, unsigned shared_bytes)
{
    return shared_bytes > SHARED_WITHOUT_ASKING
               ? d->cuFuncSetAttribute(kernel->function, FUNCTION_DYNAMIC_SHARED, (int)shared_bytes)
               : 0;
}

lb_status lb_launch_on_cuda(lb_cuda *cuda, const lb_cuda_kernel *kernel, unsigned block_count,
                            unsigned thread_count, unsigned shared_bytes, void **arguments)
{
    const lb_driver *d = &cuda->driver;
    lb_status status = enter(cuda);
    if (status == LB_OK) {
        int error = ask_for_shared(d, kernel, shared_bytes);
        error = error ? error
                      : d->cuLaunchKernel(kernel->function, block_count, 1, 1, thread_count, 1, 1,
                                          shared_bytes, cuda->stream, arguments, NULL);
        status = leave(cuda, error, "starting a kernel");
    }
    return status;
}

lb_status lb_launch_early_on_cuda(lb_cuda *cuda, const lb_cuda_kernel *kernel, unsigned block_count,
                                  unsigned thread_count, unsigned shared_bytes, void **arguments)
{
    const lb_driver *d = &cuda->driver;
    if (!d->cuLaunchKernelEx || cuda->major < 9) {
        return lb_launch_on_cuda(cuda, kernel, block_count, thread_count, shared_bytes, arguments);
    }
    lb_status status = enter(cuda);
    if (status == LB_OK) {
        lb_launch_attribute early = {.id = LAUNCH_PROGRAMMATIC, .value.number = 1};
        const lb_launch_config config = {.grid_x = block_count,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = thread_count,
                                         .block_y = 1,
                                         .block_z = 1,
                                         .shared = shared_bytes,
                                         .stream = cuda->stream,
                                         .attributes = &early,
                                         .attribute_count = 1};
        int error = ask_for_shared(d, kernel, shared_bytes);
        error = error ? error : d->cuLaunchKernelEx(&config, kernel->function, arguments, NULL);
        status = leave(cuda, error, "starting a kernel");
    }
    return status;
}
