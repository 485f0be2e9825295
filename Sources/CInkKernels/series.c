#include <math.h>

#include "CInkKernels.h"
#include "vectors.h"

// 1 / (1 + e^-x).
INLINE void sigmoid(v16 *x) {
  v16 power = -*x;
  power_of_e(&power);
  *x = 1.0f / (1.0f + power);
}

// tanh x = 1 - 2 / (1 + e^2x).
INLINE void hyperbolic_tangent(v16 *x) {
  v16 power = 2.0f * *x;
  power_of_e(&power);
  *x = 1.0f - 2.0f / (1.0f + power);
}

CLONES void ink_gru_step(
  size_t units, const float *input, const float *hidden, const float *state, float *gates,
  float *output) {
  for (size_t u = 0; u < units; u += LANES) {
    v16 r = AT(input + u) + AT(hidden + u);
    v16 z = AT(input + units + u) + AT(hidden + units + u);
    v16 candidate = AT(hidden + 2 * units + u);
    sigmoid(&r);
    sigmoid(&z);
    v16 n = AT(input + 2 * units + u) + r * candidate;
    hyperbolic_tangent(&n);
    if (gates) {
      AT(gates + u) = r;
      AT(gates + units + u) = z;
      AT(gates + 2 * units + u) = n;
      AT(gates + 3 * units + u) = candidate;
    }
    AT(output + u) = n + z * (AT(state + u) - n);
  }
}

CLONES void ink_gru_step_gradient(
  size_t units, const float *gates, const float *state, const float *output_gradient,
  float *input_gradient, float *hidden_gradient, float *state_gradient) {
  for (size_t u = 0; u < units; u += LANES) {
    v16 r = AT(gates + u), z = AT(gates + units + u), n = AT(gates + 2 * units + u);
    v16 g = AT(output_gradient + u);
    v16 to_n = g * (1.0f - z) * (1.0f - n * n);
    v16 to_z = g * (AT(state + u) - n) * z * (1.0f - z);
    v16 to_r = to_n * AT(gates + 3 * units + u) * r * (1.0f - r);
    AT(input_gradient + u) = to_r;
    AT(input_gradient + units + u) = to_z;
    AT(input_gradient + 2 * units + u) = to_n;
    AT(hidden_gradient + u) = to_r;
    AT(hidden_gradient + units + u) = to_z;
    AT(hidden_gradient + 2 * units + u) = to_n * r;
    AT(state_gradient + u) = g * z;
  }
}

CLONES void ink_lstm_step(
  size_t units, const float *input, const float *hidden, float *cell, float *gates,
  float *output) {
  for (size_t u = 0; u < units; u += LANES) {
    v16 i = AT(input + u) + AT(hidden + u);
    v16 f = AT(input + units + u) + AT(hidden + units + u);
    v16 g = AT(input + 2 * units + u) + AT(hidden + 2 * units + u);
    v16 o = AT(input + 3 * units + u) + AT(hidden + 3 * units + u);
    sigmoid(&i);
    sigmoid(&f);
    hyperbolic_tangent(&g);
    sigmoid(&o);
    v16 c = f * AT(cell + u) + i * g;
    AT(cell + u) = c;
    hyperbolic_tangent(&c);
    if (gates) {
      AT(gates + u) = i;
      AT(gates + units + u) = f;
      AT(gates + 2 * units + u) = g;
      AT(gates + 3 * units + u) = o;
      AT(gates + 4 * units + u) = c;
    }
    AT(output + u) = o * c;
  }
}

CLONES void ink_lstm_step_gradient(
  size_t units, const float *gates, const float *cell, const float *output_gradient,
  float *cell_gradient, float *gate_gradient) {
  for (size_t u = 0; u < units; u += LANES) {
    v16 i = AT(gates + u), f = AT(gates + units + u), g = AT(gates + 2 * units + u);
    v16 o = AT(gates + 3 * units + u), c = AT(gates + 4 * units + u);
    v16 to_output = AT(output_gradient + u);
    v16 to_cell = AT(cell_gradient + u) + to_output * o * (1.0f - c * c);
    AT(gate_gradient + u) = to_cell * g * i * (1.0f - i);
    AT(gate_gradient + units + u) = to_cell * AT(cell + u) * f * (1.0f - f);
    AT(gate_gradient + 2 * units + u) = to_cell * i * (1.0f - g * g);
    AT(gate_gradient + 3 * units + u) = to_output * c * o * (1.0f - o);
    AT(cell_gradient + u) = to_cell * f;
  }
}

// The sum of values[i] * factors[i], sixteen sums side by side; factors may be NULL for 1.
INLINE float sum_of_products(size_t count, const float *values, const float *factors) {
  union {
    float lanes[LANES];
    v16 vector;
  } sums = {.vector = 0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    sums.vector += factors ? AT(values + i) * AT(factors + i) : AT(values + i);
  for (; i < count; i++) sums.lanes[i % LANES] += factors ? values[i] * factors[i] : values[i];
  for (size_t half = LANES / 2; half > 0; half /= 2)
    for (size_t lane = 0; lane < half; lane++) sums.lanes[lane] += sums.lanes[lane + half];
  return sums.lanes[0];
}

CLONES float ink_dot(const float *values, const float *factors, size_t count) {
  return sum_of_products(count, values, factors);
}

CLONES void ink_add_rows(
  size_t rows, size_t row, size_t columns, const float *restrict values, float *restrict totals) {
  for (size_t c = 0; c < columns; c++) totals[c] = 0;
  for (size_t r = 0; r < rows; r++, values += row)
    for (size_t c = 0; c < columns; c++) totals[c] += values[c];
}

CLONES void ink_largest_rows(
  size_t rows, size_t row, size_t columns, const float *restrict values, float *restrict largest,
  int32_t *restrict places) {
  for (size_t c = 0; c < columns; c++) {
    largest[c] = values[c];
    places[c] = 0;
  }
  for (size_t r = 1; r < rows; r++) {
    const float *restrict value = values + r * row;
    for (size_t c = 0; c < columns; c++) {
      int32_t place = value[c] > largest[c] ? (int32_t)r : places[c];
      largest[c] = value[c] > largest[c] ? value[c] : largest[c];
      places[c] = place;
    }
  }
}

CLONES void ink_add_scaled(
  float *restrict target, const float *restrict source, float factor, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] += factor * source[i];
}

CLONES void ink_layer_normalization(
  size_t rows, size_t channels, size_t row, const float *input, const float *weight,
  const float *bias, float epsilon, float *normalized, float *inverses, float *output) {
  const size_t whole = channels / LANES * LANES;
  for (size_t r = 0; r < rows; r++, input += row, output += row) {
    float mean = sum_of_products(channels, input, NULL) / (float)channels;
    for (size_t c = 0; c < whole; c += LANES) AT(output + c) = AT(input + c) - mean;
    for (size_t c = whole; c < channels; c++) output[c] = input[c] - mean;
    float variance = sum_of_products(channels, output, output) / (float)channels;
    float inverse = 1 / sqrtf(variance + epsilon);
    if (normalized) {
      inverses[r] = inverse;
      for (size_t c = 0; c < channels; c++) normalized[r * row + c] = output[c] * inverse;
    }
    for (size_t c = 0; c < whole; c += LANES)
      AT(output + c) = AT(output + c) * inverse * AT(weight + c) + AT(bias + c);
    for (size_t c = whole; c < channels; c++)
      output[c] = output[c] * inverse * weight[c] + bias[c];
  }
}

CLONES void ink_layer_normalization_gradient(
  size_t rows, size_t channels, const float *normalized, const float *inverses,
  const float *weight, const float *output_gradient, float *weight_gradient,
  float *bias_gradient, float *input_gradient) {
  for (size_t r = 0; r < rows; r++, normalized += channels, output_gradient += channels) {
    for (size_t c = 0; c < channels; c++) {
      weight_gradient[c] += output_gradient[c] * normalized[c];
      bias_gradient[c] += output_gradient[c];
    }
    if (!input_gradient) continue;
    for (size_t c = 0; c < channels; c++) input_gradient[c] = output_gradient[c] * weight[c];
    float mean = sum_of_products(channels, input_gradient, NULL) / (float)channels;
    float slope = sum_of_products(channels, input_gradient, normalized) / (float)channels;
    for (size_t c = 0; c < channels; c++)
      input_gradient[c] = (input_gradient[c] - mean - normalized[c] * slope) * inverses[r];
    input_gradient += channels;
  }
}

// MARK: Transposing

// Exchanges what is `apart` rows and as many columns apart; the masks are of two rows, one after the other.
INLINE void exchange(v16 *square, const size_t apart) {
  for (size_t k = 0; k < LANES; k++) {
    if (k & apart) continue;
    v16 a = square[k], b = square[k + apart];
    switch (apart) {
      case 8:
        square[k] = __builtin_shufflevector(
          a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        square[k + apart] = __builtin_shufflevector(
          a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        break;
      case 4:
        square[k] = __builtin_shufflevector(
          a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        square[k + apart] = __builtin_shufflevector(
          a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
        break;
      case 2:
        square[k] = __builtin_shufflevector(
          a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        square[k + apart] = __builtin_shufflevector(
          a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        break;
      default:
        square[k] = __builtin_shufflevector(
          a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        square[k + apart] = __builtin_shufflevector(
          a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
    }
  }
}

CLONES void ink_transpose(
  size_t rows, size_t columns, const float *restrict source, size_t source_row,
  float *restrict target, size_t target_row) {
  size_t x = 0;
  if (rows == LANES)
    for (; x + LANES <= columns; x += LANES) {
      v16 square[LANES];
      for (size_t y = 0; y < LANES; y++) square[y] = AT(source + y * source_row + x);
      exchange(square, 8);
      exchange(square, 4);
      exchange(square, 2);
      exchange(square, 1);
      for (size_t y = 0; y < LANES; y++) AT(target + (x + y) * target_row) = square[y];
    }
  for (; x < columns; x++)
    for (size_t y = 0; y < rows; y++) target[x * target_row + y] = source[y * source_row + x];
}
