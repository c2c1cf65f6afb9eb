// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "quantile.h"

#include <math.h>

// Numerator and denominator of a fraction, the constant terms first.
typedef struct fraction {
    double above[8], below[8];
} fraction;

static const fraction middle = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
     3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
     5.2264952788528545610e+3}};
static const fraction outer = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
static const fraction tail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

static double divide(const fraction *f, double x)
{
    double above = 0.0, below = 0.0;
    for (int i = 7; i >= 0; --i) {
        above = above * x + f->above[i];
        below = below * x + f->below[i];
    }
    return above / below;
}

double lb_compute_normal_quantile(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        return q * divide(&middle, 0.180625 - q * q);
    }
    const double r = sqrt(-log(q < 0.0 ? p : 1.0 - p));
    const double z = r <= 5.0 ? divide(&outer, r - 1.6) : divide(&tail, r - 5.0);
    return q < 0.0 ? -z : z;
}

double lb_compute_triangular_quantile(double p, double low, double mode, double high)
{
    const double split = (mode - low) / (high - low);
    return p < split ? low + sqrt(p * (high - low) * (mode - low))
                     : high - sqrt((1.0 - p) * (high - low) * (high - mode));
}
