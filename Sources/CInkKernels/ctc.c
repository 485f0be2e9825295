#include <math.h>
#include <string.h>

#include "CInkKernels.h"
#include "vectors.h"

// Less than the logarithm of anything that is counted, and far from the limits of a float.
static const float lowest = -1e30f;

// log x for normal positive numbers, with an error below 2e-7: x = 2^n m with m from sqrt(1/2) to sqrt(2), and a
// polynomial in m - 1 (Moshier's Cephes, logf).
INLINE void logarithm(v16 *x) {
  union {
    v16 value;
    i16 bits;
  } number = {.value = *x};
  i16 exponent = (number.bits - 0x3f3504f3) >> 23;
  number.bits -= exponent << 23;
  v16 n = __builtin_convertvector(exponent, v16), m = number.value - 1.0f;
  v16 sum = m * 7.0376836292e-2f - 1.1514610310e-1f;
  sum = sum * m + 1.1676998740e-1f;
  sum = sum * m - 1.2420140846e-1f;
  sum = sum * m + 1.4249322787e-1f;
  sum = sum * m - 1.6668057665e-1f;
  sum = sum * m + 2.0000714765e-1f;
  sum = sum * m - 2.4999993993e-1f;
  sum = sum * m + 3.3333331174e-1f;
  v16 square = m * m;
  sum = sum * m * square - n * 2.12194440e-4f - 0.5f * square;
  *x = m + sum + n * 0.693359375f;
}

// *a = log (e^a + e^b + e^c).
INLINE void add_logarithms(v16 *a, const v16 *b, const v16 *c) {
  v16 largest = *a > *b ? *a : *b;
  largest = largest > *c ? largest : *c;
  v16 x = *a - largest, y = *b - largest, z = *c - largest;
  power_of_e(&x);
  power_of_e(&y);
  power_of_e(&z);
  v16 sum = x + y + z;
  logarithm(&sum);
  *a = largest + sum;
}

INLINE float largest_of(const float *values, size_t count) {
  v16 largest = AT(values);
  for (size_t i = LANES; i < count; i += LANES)
    largest = AT(values + i) > largest ? AT(values + i) : largest;
  return __builtin_reduce_max(largest);
}

// values[i] -= the largest one, which is returned.
INLINE float lower_to_zero(float *values, size_t count) {
  float largest = largest_of(values, count);
  for (size_t i = 0; i < count; i += LANES) AT(values + i) -= largest;
  return largest;
}

// values[i] = e^(values[i] - the largest one); returns the sum.
INLINE float powers_of_e(float *values, size_t count, float *largest) {
  *largest = largest_of(values, count);
  v16 sum = 0;
  for (size_t i = 0; i < count; i += LANES) {
    v16 power = AT(values + i) - *largest;
    power_of_e(&power);
    AT(values + i) = power;
    sum += power;
  }
  float total = 0;
  for (size_t lane = 0; lane < LANES; lane++) total += sum[lane];
  return total;
}

INLINE size_t rounded_up(size_t count) { return (count + LANES - 1) / LANES * LANES; }

// A row of states has a vector before and one behind it, which are never reached.
INLINE size_t state_row(size_t length) { return rounded_up(2 * length + 1) + 2 * LANES; }

size_t ink_ctc_scratch(size_t steps, size_t classes, size_t length) {
  return (2 * steps + 4) * state_row(length) + rounded_up(classes);
}

CLONES double ink_ctc(
  size_t steps, size_t classes, const float *logits, size_t length, const int32_t *label,
  float scale, float *gradient, float *scratch) {
  size_t states = 2 * length + 1, row = state_row(length), used = row - 2 * LANES;
  float *emissions = scratch + LANES, *forward = emissions + steps * row;
  // Whether state s may follow state s - 2: 0, or the lowest.
  float *skip = forward + steps * row;
  float *behind[2] = {skip + row, skip + 2 * row};
  float *posterior = skip + 3 * row, *logit_row = posterior + row - LANES;
  for (size_t i = 0; i < (2 * steps + 4) * row; i++) scratch[i] = lowest;
  for (size_t i = 1; i < length; i++)
    if (label[i] != label[i - 1]) skip[2 * i + 1] = 0;

  for (size_t t = 0; t < steps; t++) {
    const float *z = logits + t * classes;
    for (size_t k = classes; k < rounded_up(classes); k++) logit_row[k] = lowest;
    memcpy(logit_row, z, classes * sizeof(float));
    float largest;
    float sum = powers_of_e(logit_row, rounded_up(classes), &largest);
    float log_sum = largest + logf(sum);
    for (size_t s = 0; s < states; s++)
      emissions[t * row + s] = z[s % 2 ? label[s / 2] : 0] - log_sum;
    if (gradient)
      for (size_t k = 0; k < classes; k++) gradient[t * classes + k] = logit_row[k] / sum;
  }

  // Each row of `forward` is lowered so that its largest value is 0, and the sum of what was taken off is
  // kept in double precision.
  double offset = 0;
  for (size_t s = 0; s < states && s < 2; s++) forward[s] = emissions[s];
  offset += lower_to_zero(forward, used);
  for (size_t t = 1; t < steps; t++) {
    const float *before = forward + (t - 1) * row;
    for (size_t s = 0; s < used; s += LANES) {
      v16 sum = AT(before + s), one = AT(before + s - 1), two = AT(before + s - 2) + AT(skip + s);
      add_logarithms(&sum, &one, &two);
      AT(forward + t * row + s) = sum + AT(emissions + t * row + s);
    }
    offset += lower_to_zero(forward + t * row, used);
  }
  const float *last = forward + (steps - 1) * row + states - 1;
  // Before the first state lies the lowest value.
  double loss = -(offset + log(exp((double)last[0]) + exp((double)last[-1])));
  if (!gradient) return loss;

  for (size_t s = states > 1 ? states - 2 : 0; s < states; s++) behind[0][s] = 0;
  for (size_t t = steps; t-- > 0;) {
    float *here = behind[0], *next = behind[1];
    for (size_t s = 0; s < used; s += LANES)
      AT(posterior + s) = AT(forward + t * row + s) + AT(here + s);
    float largest;
    float share = 1 / powers_of_e(posterior, used, &largest);
    float *target = gradient + t * classes;
    for (size_t s = 0; s < states; s++)
      target[s % 2 ? label[s / 2] : 0] -= posterior[s] * share;
    for (size_t k = 0; k < classes; k++) target[k] *= scale;
    for (size_t s = 0; s < used; s += LANES) AT(here + s) += AT(emissions + t * row + s);
    lower_to_zero(here, used);
    for (size_t s = 0; s < used; s += LANES) {
      v16 sum = AT(here + s), one = AT(here + s + 1), two = AT(here + s + 2) + AT(skip + s + 2);
      add_logarithms(&sum, &one, &two);
      AT(next + s) = sum;
    }
    behind[0] = next;
    behind[1] = here;
  }
  return loss;
}
