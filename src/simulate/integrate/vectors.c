// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <stdlib.h>

// What functions of serial vectors expect, and more.
typedef struct content {
    struct _N_VectorContent_Serial serial;
    lb_spare_vector *spare;
} content;

static N_Vector copy(N_Vector from);
static N_Vector copy_shape(N_Vector from);
static void destroy(N_Vector vector);

// A vector with the functions of another; NULL if memory is out.
static N_Vector make(N_Vector like, sunindextype count, double *data, lb_spare_vector *spare)
{
    N_Vector vector = N_VNewEmpty(like->sunctx);
    content *own = malloc(sizeof *own);
    double *numbers = data ? data : malloc((size_t)(count > 0 ? count : 1) * sizeof *numbers);
    if (!vector || !own || !numbers || N_VCopyOps(like, vector)) {
        if (vector) {
            N_VFreeEmpty(vector);
        }
        free(own);
        if (!data) {
            free(numbers);
        }
        return NULL;
    }
    *own = (content){{count, data ? SUNFALSE : SUNTRUE, numbers}, spare};
    vector->content = own;
    vector->ops->nvclone = copy;
    vector->ops->nvcloneempty = copy_shape;
    vector->ops->nvdestroy = destroy;
    return vector;
}

static N_Vector copy(N_Vector from)
{
    const content *own = from->content;
    N_Vector vector = make(from, own->serial.length, NULL, own->spare);
    if (!vector) {
        own->spare->is_used = true;
        vector = own->spare->vector;
    }
    return vector;
}

// Without numbers, which the caller will give it.
static N_Vector copy_shape(N_Vector from)
{
    const content *own = from->content;
    N_Vector vector = copy(from);
    if (vector != own->spare->vector) {
        content *other = vector->content;
        free(other->serial.data);
        other->serial.data = NULL;
        other->serial.own_data = SUNFALSE;
    }
    return vector;
}

static void destroy(N_Vector vector)
{
    const content *own = vector->content;
    if (vector != own->spare->vector) {
        N_VDestroy_Serial(vector);
    }
}

N_Vector lb_make_vector(sunindextype count, double *data, SUNContext context,
                        lb_spare_vector *spare)
{
    *spare = (lb_spare_vector){.vector = NULL};
    N_Vector like = N_VNewEmpty_Serial(count, context);
    if (!like) {
        return NULL;
    }
    spare->vector = make(like, count, NULL, spare);
    spare->data = spare->vector ? N_VGetArrayPointer_Serial(spare->vector) : NULL;
    N_Vector vector = spare->vector ? make(like, count, data, spare) : NULL;
    N_VDestroy_Serial(like);
    return vector;
}

void lb_free_spare_vector(lb_spare_vector *spare)
{
    if (spare->vector) {
        N_VSetArrayPointer_Serial(spare->data, spare->vector); // which may have been given others
        N_VDestroy_Serial(spare->vector);
    }
    spare->vector = NULL;
}
