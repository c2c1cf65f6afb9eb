// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of mathematics that a frozen file brings along: libraries differ in the last digits of sines.
// In these texts `@` stands for the prefix of the file and `real` for its type of numbers.
#include <stdlib.h>
#include <string.h>

#include "write_c.h"

// Whether numbers are small enough, by integers, which are computed beside the numbers.
static const char within_text[] =
    "// Whether no number reaches a bound, by the bits of their magnitudes: `room` is what is left "
    "from those of the\n"
    "// bound to a carry into the sign. Infinities and NaN are beyond every bound.\n"
    "static inline int @_are_within(int count, const real *x, <c> room)\n"
    "{\n"
    "    <c> all = 0;\n"
    "    int i;\n"
    "    for (i = 0; i < count; ++i) {\n"
    "        <c> bits;\n"
    "        memcpy(&bits, &x[i], sizeof bits);\n"
    "        all |= (bits & <d>) + room;\n"
    "    }\n"
    "    return all <= <d>;\n"
    "}\n"
    "\n"
    "// Whether numbers are neither infinite nor NaN\n"
    "static inline int @_are_finite(int count, const real *x)\n"
    "{\n"
    "    return @_are_within(count, x, <e>);\n"
    "}\n"
    "\n";

// An angle far out, brought back by as many digits of 2/pi as it takes.
static const char far_text[] =
    "// x = n pi/2 + r for an angle that may be huge: 2/pi has as many digits here as the largest "
    "one needs.\n"
    "// Only the digits that matter modulo four quarter turns are multiplied. Returns n modulo 4.\n"
    "static int @_reduce_far(double x, double *r)\n"
    "{\n"
    "    static const uint32_t two_over_pi[40] = {\n"
    "        0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,\n"
    "        0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,\n"
    "        0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u,\n"
    "        0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,\n"
    "        0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,\n"
    "        0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u,\n"
    "        0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};\n"
    "    int exponent, first, i, j, point, quadrant;\n"
    "    const double m = frexp(x < 0 ? -x : x, &exponent) * 9007199254740992.0;\n"
    "    const uint64_t mantissa = (uint64_t)m;\n"
    "    const uint64_t low = mantissa & 0xffffffffu, high = mantissa >> 32;\n"
    "    uint32_t product[10] = {0};\n"
    "    uint64_t part[2];\n"
    "    double fraction;\n"
    "    exponent -= 53;\n"
    "    first = exponent > 2 ? (exponent - 2) / 32 : 0;\n"
    "    for (i = 0; i < 7; ++i) {\n"
    "        const uint64_t word = two_over_pi[first + 6 - i];\n"
    "        uint64_t carry = word * low + product[i];\n"
    "        product[i] = (uint32_t)carry;\n"
    "        carry = (carry >> 32) + product[i + 1] + word * high;\n"
    "        product[i + 1] = (uint32_t)carry;\n"
    "        product[i + 2] = (uint32_t)(product[i + 2] + (carry >> 32));\n"
    "    }\n"
    "    point = 224 - (exponent - 32 * first); // of the binary point in the product\n"
    "    for (j = 0; j < 2; ++j) {\n"
    "        const int at = point - 64 * (j + 1), word = at / 32, shift = at % 32;\n"
    "        part[j] = (uint64_t)product[word] | (uint64_t)product[word + 1] << 32;\n"
    "        if (shift) {\n"
    "            part[j] = part[j] >> shift | (uint64_t)product[word + 2] << (64 - shift);\n"
    "        }\n"
    "    }\n"
    "    quadrant = (int)((product[point / 32] >> point % 32) & 3u);\n"
    "    if (point % 32 == 31) {\n"
    "        quadrant = (quadrant | (int)((product[point / 32 + 1] & 1u) << 1)) & 3;\n"
    "    }\n"
    "    if (part[0] >> 63) { // the nearer quarter turn is the next one\n"
    "        quadrant = (quadrant + 1) & 3;\n"
    "        part[1] = ~part[1] + 1u;\n"
    "        part[0] = ~part[0] + (part[1] == 0);\n"
    "        fraction = -((double)part[0] + (double)part[1] * 5.421010862427522e-20);\n"
    "    } else {\n"
    "        fraction = (double)part[0] + (double)part[1] * 5.421010862427522e-20;\n"
    "    }\n"
    "    *r = fraction * 5.421010862427522e-20 * 1.5707963267948966;\n"
    "    if (x < 0) {\n"
    "        *r = -*r;\n"
    "        quadrant = -quadrant & 3;\n"
    "    }\n"
    "    return quadrant;\n"
    "}\n"
    "\n";

// Sines and cosines. `<0>` and so on are numbers that depend on the precision: see below.
static const char quarter_text[] =
    "// Sine and cosine of r, exchanged and signed by n quarter turns\n"
    "static inline void @_quarter(<9> n, real r, real *s, real *c)\n"
    "{\n"
    "    const real z = r * r, w = z * z;\n"
    "    const real p = <0>;\n"
    "    const real q = <1>;\n"
    "    const real sine = r + r * z * p, cosine = (1 - <2> * z) + w * q;\n"
    "    const real x = n & 1 ? cosine : sine, y = n & 1 ? sine : cosine;\n"
    "    *s = n & 2 ? -x : x;\n"
    "    *c = (n + 1) & 2 ? -y : y;\n"
    "}\n"
    "\n";

static const char near_text[] =
    "// The same of an angle that is not far out. pi/2 has three parts, so that n times each of "
    "the first two is\n"
    "// exact.\n"
    "static inline void @_turn_near(real x, real *s, real *c)\n"
    "{\n"
    "    const int n = (int)(x * <3> + (x < 0 ? -<2> : <2>));\n"
    "    const real k = (real)n;\n"
    "    @_quarter(n, ((x - k * <4>) - k * <5>) - k * <6>, s, c);\n"
    "}\n"
    "\n";

// The same with integers as long as the numbers, so that compilers take them side by side too.
static const char near_lanes_text[] =
    "// The same of an angle that is not far out. pi/2 has three parts, so that n times each of "
    "the first two is\n"
    "// exact. A number so large that its last digit is 1 rounds what is added to it, and has n in "
    "its last digits;\n"
    "// where numbers have more digits than their type says, a conversion rounds.\n"
    "static inline void @_turn_near(real x, real *s, real *c)\n"
    "{\n"
    "#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0\n"
    "    const real shifted = x * <3> + <a>, k = shifted - <a>;\n"
    "    <9> n;\n"
    "    memcpy(&n, &shifted, sizeof n);\n"
    "#else\n"
    "    const int n = (int)(x * <3> + (x < 0 ? -<2> : <2>));\n"
    "    const real k = (real)n;\n"
    "#endif\n"
    "    @_quarter(n, ((x - k * <4>) - k * <5>) - k * <6>, s, c);\n"
    "}\n"
    "\n";

// Four at a time in vector types, with masks in place of choices.
static const char turn_four_text[] =
    "// The same of four angles side by side\n"
    "static inline void @_turn_four(const real *x, real *s, real *c)\n"
    "{\n"
    "    @_four a;\n"
    "    @_four_mask n, odd, own, other;\n"
    "    memcpy(&a, x, sizeof a);\n"
    "    {\n"
    "        const @_four shifted = a * <3> + <a>, k = shifted - <a>;\n"
    "        const @_four r = ((a - k * <4>) - k * <5>) - k * <6>;\n"
    "        const @_four z = r * r, w = z * z;\n"
    "        const @_four p = <0>;\n"
    "        const @_four q = <1>;\n"
    "        const @_four sine = r + r * z * p, cosine = ($1.0$ - <2> * z) + w * q;\n"
    "        n = (@_four_mask)shifted;\n"
    "        odd = -(n & 1);\n"
    "        own = ((@_four_mask)sine & ~odd) | ((@_four_mask)cosine & odd);\n"
    "        other = ((@_four_mask)cosine & ~odd) | ((@_four_mask)sine & odd);\n"
    "    }\n"
    "    own ^= (n & 2) << <b>;\n"
    "    other ^= ((n + 1) & 2) << <b>;\n"
    "    memcpy(s, &own, sizeof own);\n"
    "    memcpy(c, &other, sizeof other);\n"
    "}\n"
    "\n";

static const char four_loop_text[] =
    "// The same of four angles: compilers take them side by side.\n"
    "static inline void @_turn_four(const real *x, real *@_apart s, real *@_apart c)\n"
    "{\n"
    "    int i;\n"
    "    for (i = 0; i < 4; ++i) {\n"
    "        @_turn_near(x[i], &s[i], &c[i]);\n"
    "    }\n"
    "}\n"
    "\n";

static const char turns_text[] =
    "// The same of several angles, some of them far out\n"
    "static void @_turn_all(int count, const real *x, real *s, real *c)\n"
    "{\n"
    "    int i;\n"
    "    for (i = 0; i < count; ++i) {\n"
    "        if (x[i] < <7> && x[i] > -<7>) {\n"
    "            @_turn_near(x[i], &s[i], &c[i]);\n"
    "        } else {\n"
    "            double r;\n"
    "            const int n = @_reduce_far((double)x[i], &r);\n"
    "            @_quarter(n, (real)r, &s[i], &c[i]);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "// The same in fours; the last four overlap those before them where the count is no multiple "
    "of four.\n"
    "static inline void @_turn(int count, const real *x, real *@_apart s, real *@_apart c)\n"
    "{\n"
    "    int i;\n"
    "    if (count < 4 || !@_are_within(count, x, <f>)) { // <7>\n"
    "        @_turn_all(count, x, s, c);\n"
    "        return;\n"
    "    }\n"
    "    for (i = 0; i + 4 < count; i += 4) {\n"
    "        @_turn_four(x + i, s + i, c + i);\n"
    "    }\n"
    "    i = count - 4;\n"
    "    @_turn_four(x + i, s + i, c + i);\n"
    "}\n"
    "\n";

// Polynomials in r, |r| <= pi/4: those of (ROT-2), in decimal numbers, which C++ takes too; then 1/2, 2/pi, the
// parts of pi/2, from where on an angle is far out, whether numbers are doubles, integers of their
// length, the number that rounds, how far its two last bits are from the sign, integers for the bits of numbers, those
// without the sign, and the room of @_are_within for infinities and for angles that are far out.
static const char *const numbers[3][16] = {
    {"(-0.16666666666666632 + z * 0.008333333333322425) +\n"
     "        w * ((-0.0001984126982981696 + z * 2.7557313695230068e-06) +\n"
     "             w * (-2.5050758653856962e-08 + z * 1.5896827964343148e-10))",
     "(0.0416666666666666 - z * 0.0013888888888874138) +\n"
     "        w * ((2.4801587289491813e-05 - z * 2.7557314355239036e-07) +\n"
     "             w * (2.087572368411493e-09 - z * 1.1359669853404677e-11))",
     "0.5", "0.6366197723675814", "1.5707963267341256", "6.077100506303966e-11",
     "2.0222662487959506e-21", "1e5", "1", "int64_t", "6755399441055744.0", "62", "uint64_t",
     "0x7fffffffffffffffu", "0x0010000000000000u", "0x3f07960000000000u"}, // double
    {"(-0.166666546f + z * 0.00833216087f) - w * 0.000195152959f",
     "(0.0416666457f - z * 0.00138873163f) + w * 2.44331571e-05f", "0.5f", "0.636619772f",
     "1.5703125f", "0.000483751297f", "7.54978996e-08f", "6000.0f", "0", "int32_t", "12582912.0f",
     "30", "uint32_t", "0x7fffffffu", "0x00800000u", "0x3a448000u"}, // float
    {"(@_series[0] + z * @_series[1]) +\n"
     "        w * ((@_series[2] + z * @_series[3]) + w * (@_series[4] + z * @_series[5]))",
     "(@_series[6] - z * @_series[7]) +\n"
     "        w * ((@_series[8] - z * @_series[9]) + w * (@_series[10] - z * @_series[11]))",
     "0.5", "@_series[12]", "@_series[13]", "@_series[14]", "@_series[15]", "1e5", "1", "int",
     ""}}; // double of CUDA, in constant memory

static const char rotation_text[] =
    "// Coefficients of a rotation vector of length t, from t^2: sin t / t, (1 - cos t) / t^2, (t "
    "- sin t) / t^3,\n"
    "// and the derivatives of the last two by t^2 (ROT-1). Short vectors take the series.\n"
    "static void @_rotation(real t2, real *c)\n"
    "{\n"
    "    if (t2 < 1) {\n"
    "        c[0] = c[1] = c[2] = c[3] = c[4] = 0;\n";

const char lb_rotation_series[] =
    "        // 1 / k!\n"
    "        static const real one_over[22] = {\n"
    "            $1.0$, $0.5$, $0.16666666666666666$, $0.041666666666666664$, "
    "$0.008333333333333333$,\n"
    "            $0.001388888888888889$, $0.0001984126984126984$, $2.48015873015873e-05$,\n"
    "            $2.7557319223985893e-06$, $2.755731922398589e-07$, $2.505210838544172e-08$,\n"
    "            $2.08767569878681e-09$, $1.6059043836821613e-10$, $1.1470745597729725e-11$,\n"
    "            $7.647163731819816e-13$, $4.779477332387385e-14$, $2.8114572543455206e-15$,\n"
    "            $1.5619206968586225e-16$, $8.22063524662433e-18$, $4.110317623312165e-19$,\n"
    "            $1.9572941063391263e-20$, $8.896791392450574e-22$};\n"
    "        int k;\n"
    "        for (k = 9; k >= 0; --k) {\n"
    "            c[3] = -(c[1] + t2 * c[3]);\n"
    "            c[4] = -(c[2] + t2 * c[4]);\n"
    "            c[0] = one_over[2 * k] - t2 * c[0];\n"
    "            c[1] = one_over[2 * k + 1] - t2 * c[1];\n"
    "            c[2] = one_over[2 * k + 2] - t2 * c[2];\n"
    "        }\n";

static const char rotation_end_text[] = "    } else {\n"
                                        "        const real t = root(t2);\n"
                                        "        real angles[2], s[2], unused[2];\n"
                                        "        angles[0] = t;\n"
                                        "        angles[1] = t / 2;\n"
                                        "        @_turn(2, angles, s, unused);\n"
                                        "        c[0] = s[0] / t;\n"
                                        "        c[1] = 2 * s[1] * s[1] / t2;\n"
                                        "        c[2] = (t - s[0]) / (t * t2);\n"
                                        "        c[3] = (c[0] - 2 * c[1]) / (2 * t2);\n"
                                        "        c[4] = (c[1] - 3 * c[2]) / (2 * t2);\n"
                                        "    }\n"
                                        "}\n"
                                        "\n";

static const char apart_text[] = "// Arrays that do not overlap\n"
                                 "#if defined(__GNUC__)\n"
                                 "#define @_apart __restrict__\n"
                                 "#elif !defined(__cplusplus)\n"
                                 "#define @_apart restrict\n"
                                 "#else\n"
                                 "#define @_apart\n"
                                 "#endif\n"
                                 "\n";

static bool starts_word(const char *text, const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0 &&
           (at == text || !strchr("abcdefghijklmnopqrstuvwxyz_", at[-1]));
}

// Copies a text; words that depend on the style are exchanged.
void lb_write_c_text(lb_page *page, const lb_c_style *style, const char *text)
{
    bool in_number = false;
    for (const char *at = text; *at;) {
        if (*at == '@') {
            lb_write(page, "%s", style->prefix);
            ++at;
        } else if (*at == '$') {
            in_number = !in_number; // between these marks: a constant
            if (!in_number && style->is_float) {
                lb_write(page, "f");
            }
            ++at;
        } else if (at[0] == '<' && at[1] && strchr("0123456789abcdef", at[1]) && at[2] == '>') {
            const int number = at[1] >= 'a' ? at[1] - 'a' + 10 : at[1] - '0';
            const bool is_plain = number == 9 && style->is_cuda; // an int in either precision
            const int row = is_plain ? 2 : style->is_float ? 1 : style->is_cuda ? 2 : 0;
            lb_write_c_text(page, style, numbers[row][number]);
            at += 3;
        } else if (starts_word(text, at, "real ") || starts_word(text, at, "real)")) {
            lb_write(page, "%s", style->is_float ? "float" : "double");
            at += 4;
        } else if (starts_word(text, at, "root(")) {
            lb_write(page, "%s", style->is_float ? "sqrtf" : "sqrt");
            at += 4;
        } else {
            size_t length = 1 + strcspn(at + 1, "@$r<");
            lb_write(page, "%.*s", (int)length, at);
            at += length;
        }
    }
}

void lb_write_helpers(lb_page *page, const lb_c_style *style, bool angles, bool turns)
{
    lb_write_c_text(page, style, apart_text);
    lb_write_c_text(page, style, within_text);
    if (angles || turns) {
        lb_write_c_text(page, style, far_text);
        lb_write_c_text(page, style, quarter_text);
        lb_write_c_text(page, style, near_lanes_text);
        lb_write_c_text(page, style, style->is_vector ? turn_four_text : four_loop_text);
        lb_write_c_text(page, style, turns_text);
    }
    if (turns) {
        lb_write_c_text(page, style, rotation_text);
        lb_write_c_text(page, style, lb_rotation_series);
        lb_write_c_text(page, style, rotation_end_text);
    }
}

// ---- CUDA --------------------------------------------------------------------------------------

// Types that the compiler at run time has no header for; what a compiler for the host does not know.
static const char cuda_head_text[] = "#ifdef __CUDACC_RTC__\n"
                                     "typedef unsigned int uint32_t;\n"
                                     "typedef unsigned long long uint64_t;\n"
                                     "#else\n"
                                     "#include <math.h>\n"
                                     "#include <stdint.h>\n"
                                     "#endif\n"
                                     "#ifdef __CUDACC__\n"
                                     "#define @_device __device__ __forceinline__\n"
                                     "#define @_apart __device__ __noinline__\n"
                                     "#define @_constant __constant__\n"
                                     "#else // for tests: the same arithmetic on the host\n"
                                     "#define @_device inline\n"
                                     "#define @_apart\n"
                                     "#define @_constant\n"
                                     "#endif\n"
                                     "\n";

// Numbers whose exponents are checked: the arithmetic of doubles has better things to do.
static const char cuda_finite_text[] =
    "// Whether numbers are neither infinite nor NaN\n"
    "static @_device int @_are_finite(int count, const real *x, long long stride)\n"
    "{\n"
    "    int good = 1;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < count; ++i) {\n"
    "#if defined(__CUDA_ARCH__) && <8>\n"
    "        good &= (__double2hiint(x[i * stride]) & 0x7ff00000) != 0x7ff00000;\n"
    "#else\n"
    "        good &= x[i * stride] - x[i * stride] == 0;\n"
    "#endif\n"
    "    }\n"
    "    return good;\n"
    "}\n"
    "\n";

// The divisors are pivots that were checked: neither denormal nor infinite, unless the state fails anyway. The
// division of the language has a branch for these, and branches keep instructions from being mixed.
static const char cuda_invert_text[] =
    "// 1 / x to the last digit or two\n"
    "static @_device real @_invert(real x)\n"
    "{\n"
    "#if defined(__CUDA_ARCH__) && <8>\n"
    "    double y;\n"
    "    asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(y) : \"d\"(x));\n"
    "    y = fma(y, fma(-x, y, 1.0), y);\n"
    "    return fma(y, fma(-x, y, 1.0), y);\n"
    "#else\n"
    "    return 1 / x;\n"
    "#endif\n"
    "}\n"
    "\n";

static const char cuda_turns_text[] =
    "// The same of one that is\n"
    "static @_apart real @_turn_far(real x, int quarters)\n"
    "{\n"
    "    real s, c;\n"
    "    double r;\n"
    "    const int n = @_reduce_far((double)x, &r);\n"
    "    @_quarter(n + quarters, (real)r, &s, &c);\n"
    "    return s;\n"
    "}\n"
    "\n"
    "// Sines and cosines of several angles. Those far out are computed again, out of line.\n"
    "static @_device void @_turn(int count, const real *x, real *s, real *c)\n"
    "{\n"
    "    int far = 0;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < count; ++i) {\n"
    "        const int is_far = !(x[i] < <7> && x[i] > -<7>);\n"
    "        @_turn_near(is_far ? (real)0 : x[i], &s[i], &c[i]);\n"
    "        far |= is_far;\n"
    "    }\n"
    "    if (far) {\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < count; ++i) {\n"
    "            if (!(x[i] < <7> && x[i] > -<7>)) {\n"
    "                s[i] = @_turn_far(x[i], 0);\n"
    "                c[i] = @_turn_far(x[i], 1);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n";

// The numbers of sines and cosines
static const char cuda_series_text[] =
    "static @_constant double @_series[16] = {\n"
    "    -0.16666666666666632, 0.008333333333322425, -0.0001984126982981696, "
    "2.7557313695230068e-06,\n"
    "    -2.5050758653856962e-08, 1.5896827964343148e-10, 0.0416666666666666, "
    "0.0013888888888874138,\n"
    "    2.4801587289491813e-05, 2.7557314355239036e-07, 2.087572368411493e-09, "
    "1.1359669853404677e-11,\n"
    "    0.6366197723675814, 1.5707963267341256, 6.077100506303966e-11, "
    "2.0222662487959506e-21};\n"
    "\n";

// Functions of C, on the device: `static` and `static inline` at the start of a line.
static void write_on_device(lb_page *page, const lb_c_style *style, const char *text,
                            const char *kind)
{
    lb_page plain = {.text = NULL};
    lb_write_c_text(&plain, style, text);
    for (const char *at = plain.text; at && *at;) {
        const size_t line = strcspn(at, "\n") + 1;
        const size_t skip = strncmp(at, "static inline ", 14) == 0 ? 14
                            : strncmp(at, "static ", 7) == 0       ? 7
                                                                   : 0;
        if (skip) {
            lb_write(page, "static %s_%s ", style->prefix, kind);
        } else if (strstr(at, "for (k = 9;") && strstr(at, "for (k = 9;") < at + line) {
            lb_write(page, "#pragma unroll\n");
        }
        lb_write(page, "%.*s", (int)(line - skip), at + skip);
        at += line;
    }
    page->out_of_memory = page->out_of_memory || plain.out_of_memory;
    free(plain.text);
}

void lb_write_cuda_helpers(lb_page *page, const lb_c_style *style)
{
    lb_write_c_text(page, style, cuda_head_text);
    if (!style->is_float) {
        lb_write_c_text(page, style, cuda_series_text);
    }
    write_on_device(page, style, far_text, "apart");
    write_on_device(page, style, quarter_text, "device");
    write_on_device(page, style, near_text, "device");
    lb_write_c_text(page, style, cuda_turns_text);
    write_on_device(page, style, rotation_text, "device");
    write_on_device(page, style, lb_rotation_series, "device");
    write_on_device(page, style, rotation_end_text, "device");
    lb_write_c_text(page, style, cuda_finite_text);
    lb_write_c_text(page, style, cuda_invert_text);
}
