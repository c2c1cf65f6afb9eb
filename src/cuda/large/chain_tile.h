// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small matrices that a team works on together: 8 x 8 tiles, of which the parts that are not used are zero. Products are
// made by the matrix units of the card, which multiply 8 x 4 by 4 x 8 numbers in one instruction.
#ifndef LB_CHAIN_TILE_H
#define LB_CHAIN_TILE_H

#include "lanes_of.h"

/// Distance of the rows of a tile: lanes that read four columns of four rows, or four rows of four columns, meet in different
/// banks.
enum { LB_ROW_PITCH = 12, LB_TILE = 8 * LB_ROW_PITCH };

/// Entries of a tile that one lane has: two neighbours of a row.
enum { LB_ENTRIES = LB_TEAM == 1 ? 64 : 2 };
typedef struct lb_part {
    double x[LB_ENTRIES];
} lb_part;

/// Row and column of entry e of a lane.
#define LB_ROW(e, lane) (((lane)*2 + (e)) >> 3)
#define LB_COLUMN(e, lane) (((lane)*2 + (e)) & 7)

/// Strides of a tile as it is, and of its transpose: from row to row, from column to column.
#define LB_PLAIN LB_ROW_PITCH, 1
#define LB_TURNED 1, LB_ROW_PITCH

#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// sum += A B, of 8 x 4 and 4 x 8 numbers of which each lane has one.
LB_CARD void lb_multiply(double a, double b, lb_part *sum)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(sum->x[0]), "+d"(sum->x[1])
                 : "d"(a), "d"(b));
}
#endif

// sum += A B
//
// @param a_row, a_column  strides of A: LB_PLAIN or LB_TURNED
// @param b_row, b_column  strides of B
LB_CARD void lb_add_product(const double *A, int a_row, int a_column, const double *B, int b_row,
                            int b_column, lb_part *sum, int lane)
{
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const int i = lane >> 2, k = lane & 3;
    LB_UNROLL for (int half = 0; half < 8; half += 4)
    {
        const double a = A[i * a_row + (half + k) * a_column];
        const double b = B[(half + k) * b_row + i * b_column];
        lb_multiply(a, b, sum);
    }
#else
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int i = LB_ROW(e, lane), j = LB_COLUMN(e, lane);
        LB_UNROLL for (int k = 0; k < 8; ++k)
        {
            sum->x[e] += A[i * a_row + k * a_column] * B[k * b_row + j * b_column];
        }
    }
#endif
}

/// The left operand of several products, as a lane needs it: row and column of entry e.
#define LB_LEFT_ROW(e, lane) (LB_TEAM == 1 ? (e) >> 3 : (lane) >> 2)
#define LB_LEFT_COLUMN(e, lane) (LB_TEAM == 1 ? (e)&7 : ((lane)&3) + 4 * (e))

// sum += A B
LB_CARD void lb_add_left_product(const lb_part *A, const double *B, int b_row, int b_column,
                                 lb_part *sum, int lane)
{
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    LB_UNROLL for (int half = 0; half < 2; ++half)
    {
        const double b = B[LB_LEFT_COLUMN(half, lane) * b_row + (lane >> 2) * b_column];
        lb_multiply(A->x[half], b, sum);
    }
#elif defined(__CUDACC__)
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int j = LB_COLUMN(e, lane);
        LB_UNROLL for (int k = 0; k < 8; ++k)
        {
            const double a = __shfl_sync(0xffffffffu, A->x[k >> 2], (lane & 28) + (k & 3));
            sum->x[e] += a * B[k * b_row + j * b_column];
        }
    }
#else
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        LB_UNROLL for (int k = 0; k < 8; ++k)
        {
            sum->x[e] += A->x[(e & 56) + k] * B[k * b_row + LB_COLUMN(e, lane) * b_column];
        }
    }
#endif
}

LB_CARD void lb_clear_part(lb_part *part)
{
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        part->x[e] = 0.0;
    }
}

LB_CARD void lb_put_part(const lb_part *part, double *tile, int lane)
{
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        tile[LB_ROW(e, lane) * LB_ROW_PITCH + LB_COLUMN(e, lane)] = part->x[e];
    }
}

// A = L L* of the leading 5 x 5 of a tile, inverses on the diagonal. Pivots that are round-off are dropped with their
// columns. Every lane does all of it: waiting for each other would take longer.
//
// @param roots  out: the diagonal of L
LB_CARD void lb_factor_five(const double *A, double *L, double *roots)
{
    LB_UNROLL for (int j = 0; j < 5; ++j)
    {
        double pivot = A[(LB_ROW_PITCH + 1) * j];
        const double least = 1e-15 * pivot;
        LB_UNROLL for (int k = 0; k < j; ++k)
        {
            pivot -= L[LB_LOWER(j, k)] * L[LB_LOWER(j, k)];
        }
        const double inverse = pivot > least ? lb_rsqrt(pivot) : 0.0;
        LB_UNROLL for (int i = j + 1; i < 5; ++i)
        {
            double sum = A[LB_ROW_PITCH * i + j];
            LB_UNROLL for (int k = 0; k < j; ++k)
            {
                sum -= L[LB_LOWER(i, k)] * L[LB_LOWER(j, k)];
            }
            L[LB_LOWER(i, j)] = sum * inverse;
        }
        L[LB_LOWER(j, j)] = inverse;
        roots[j] = pivot * inverse;
    }
}

#endif // LB_CHAIN_TILE_H
