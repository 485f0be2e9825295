#include "CInkKernels.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#define CLONES __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

CLONES void ink_add_bias(float *values, size_t count, float bias, float lowest) {
  for (size_t i = 0; i < count; i++) {
    float value = values[i] + bias;
    values[i] = value > lowest ? value : lowest;
  }
}

CLONES void ink_relu(float *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = values[i] > 0 ? values[i] : 0;
}

CLONES void ink_relu_gradient(
  float *restrict gradient, const float *restrict output, size_t count) {
  for (size_t i = 0; i < count; i++) gradient[i] = output[i] > 0 ? gradient[i] : 0;
}

CLONES void ink_add(float *restrict target, const float *restrict source, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] += source[i];
}

CLONES float ink_sum(const float *values, size_t count) {
  // Sixteen sums side by side, on every machine, so that the rounding is the same everywhere.
  float lanes[16] = {0};
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (size_t lane = 0; lane < 16; lane++) lanes[lane] += values[i + lane];
  }
  for (; i < count; i++) lanes[i % 16] += values[i];
  float sum = 0;
  for (size_t lane = 0; lane < 16; lane++) sum += lanes[lane];
  return sum;
}

// A block of outputs that is summed in registers: filters and positions.
enum { BLOCK_FILTERS = 8, BLOCK_POSITIONS = 32 };

size_t ink_padded_count(const ink_convolution *shape) {
  size_t plane = (shape->height + 2 * shape->pad) * (shape->width + 2 * shape->pad);
  // The last block reads past the last position.
  return shape->channels * plane + BLOCK_POSITIONS + shape->kernel;
}

void ink_pad(const ink_convolution *shape, const float *restrict input, float *restrict padded) {
  size_t width = shape->width + 2 * shape->pad, height = shape->height + 2 * shape->pad;
  memset(padded, 0, ink_padded_count(shape) * sizeof(float));
  for (size_t c = 0; c < shape->channels; c++)
    for (size_t y = 0; y < shape->height; y++)
      memcpy(
        padded + (c * height + y + shape->pad) * width + shape->pad,
        input + (c * shape->height + y) * shape->width, shape->width * sizeof(float));
}

// Positions count along whole padded rows, so that each kernel element reads the padded planes in
// place, from its own offset on; what lands beside the output is dropped.
CLONES void ink_convolve(
  const ink_convolution *shape, const float *restrict padded, size_t filters,
  const float *restrict weight, const float *restrict bias, float lowest,
  float *restrict output) {
#pragma clang fp contract(fast)
  size_t row = shape->width + 2 * shape->pad, plane = (shape->height + 2 * shape->pad) * row;
  size_t columns = row - shape->kernel + 1;
  size_t rows = shape->height + 2 * shape->pad - shape->kernel + 1;
  size_t length = shape->channels * shape->kernel * shape->kernel;
  for (size_t first = 0; first < filters; first += BLOCK_FILTERS) {
    // Past the last filter, the last one is computed again and dropped.
    const float *a[BLOCK_FILTERS];
    float start[BLOCK_FILTERS];
    for (size_t f = 0; f < BLOCK_FILTERS; f++) {
      size_t filter = first + f < filters ? first + f : filters - 1;
      a[f] = weight + filter * length;
      start[f] = bias[filter];
    }
    for (size_t position = 0; position < rows * row; position += BLOCK_POSITIONS) {
      float sums[BLOCK_FILTERS][BLOCK_POSITIONS];
      for (size_t f = 0; f < BLOCK_FILTERS; f++)
        for (size_t p = 0; p < BLOCK_POSITIONS; p++) sums[f][p] = start[f];
      size_t k = 0;
      for (size_t c = 0; c < shape->channels; c++)
        for (size_t i = 0; i < shape->kernel; i++) {
          const float *b = padded + c * plane + i * row + position;
          for (size_t j = 0; j < shape->kernel; j++, k++, b++)
            for (size_t f = 0; f < BLOCK_FILTERS; f++)
              for (size_t p = 0; p < BLOCK_POSITIONS; p++) sums[f][p] += a[f][k] * b[p];
        }
      for (size_t f = 0; f < BLOCK_FILTERS && first + f < filters; f++) {
        float *target = output + (first + f) * rows * columns;
        size_t y = position / row, x = position % row;
        for (size_t p = 0; p < BLOCK_POSITIONS && y < rows; y++, x = 0) {
          size_t stop = p + row - x < BLOCK_POSITIONS ? p + row - x : BLOCK_POSITIONS;
          for (; p < stop && x < columns; p++, x++)
            target[y * columns + x] = sums[f][p] > lowest ? sums[f][p] : lowest;
          p = stop;
        }
      }
    }
  }
}

CLONES void ink_multiply_vector(
  const float *restrict weight, size_t units, size_t inputs, const float *restrict input,
  const float *restrict bias, float lowest, float *restrict output) {
#pragma clang fp contract(fast)
  enum { LANES = 32 };
  for (size_t unit = 0; unit < units; unit++) {
    const float *restrict row = weight + unit * inputs;
    float lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= inputs; i += LANES)
      for (size_t lane = 0; lane < LANES; lane++) lanes[lane] += row[i + lane] * input[i + lane];
    for (; i < inputs; i++) lanes[i % LANES] += row[i] * input[i];
    float sum = bias[unit];
    for (size_t lane = 0; lane < LANES; lane++) sum += lanes[lane];
    output[unit] = sum > lowest ? sum : lowest;
  }
}

// The output columns whose input column exists, for kernel column j.
static inline void existing_columns(
  const ink_convolution *shape, size_t columns, size_t j, size_t *first, size_t *last) {
  *first = j < shape->pad ? shape->pad - j : 0;
  *last = shape->width + shape->pad - j;
  if (*last > columns) *last = columns;
  if (*first > *last) *first = *last;
}

CLONES void ink_gather_patches(
  const ink_convolution *shape, const float *restrict input, float *restrict patches) {
  size_t rows = shape->height + 2 * shape->pad - shape->kernel + 1;
  size_t columns = shape->width + 2 * shape->pad - shape->kernel + 1;
  float *restrict row = patches;
  for (size_t c = 0; c < shape->channels; c++) {
    for (size_t i = 0; i < shape->kernel; i++) {
      for (size_t j = 0; j < shape->kernel; j++, row += shape->row_stride) {
        size_t first, last;
        existing_columns(shape, columns, j, &first, &last);
        for (size_t y = 0; y < rows; y++) {
          float *restrict line = row + y * columns;
          size_t source_y = y + i - shape->pad;  // wraps to a huge number above the picture
          if (source_y >= shape->height) {
            for (size_t x = 0; x < columns; x++) line[x] = 0;
            continue;
          }
          const float *source = input + (c * shape->height + source_y) * shape->width + j;
          for (size_t x = 0; x < first; x++) line[x] = 0;
#pragma clang loop vectorize(enable) interleave(disable)
          for (size_t x = first; x < last; x++) line[x] = source[x - shape->pad];
          for (size_t x = last; x < columns; x++) line[x] = 0;
        }
        for (size_t p = rows * columns; p < shape->row_stride; p++) row[p] = 0;
      }
    }
  }
}

CLONES void ink_scatter_patches(
  const ink_convolution *shape, const float *restrict patches, float *restrict input) {
  size_t rows = shape->height + 2 * shape->pad - shape->kernel + 1;
  size_t columns = shape->width + 2 * shape->pad - shape->kernel + 1;
  const float *restrict row = patches;
  for (size_t c = 0; c < shape->channels; c++) {
    for (size_t i = 0; i < shape->kernel; i++) {
      for (size_t j = 0; j < shape->kernel; j++, row += shape->row_stride) {
        size_t first, last;
        existing_columns(shape, columns, j, &first, &last);
        for (size_t y = 0; y < rows; y++) {
          size_t source_y = y + i - shape->pad;
          if (source_y >= shape->height) continue;
          const float *restrict line = row + y * columns;
          float *target = input + (c * shape->height + source_y) * shape->width + j;
          for (size_t x = first; x < last; x++) target[x - shape->pad] += line[x];
        }
      }
    }
  }
}

CLONES void ink_max_pool_2x2(
  const float *restrict plane, size_t height, size_t width, float *restrict output,
  int32_t *restrict places) {
  for (size_t y = 0; y < height / 2; y++) {
    const float *restrict top = plane + 2 * y * width;
    const float *restrict bottom = top + width;
    float *restrict line = output + y * (width / 2);
    int32_t start = (int32_t)(2 * y * width);
    for (size_t x = 0; x < width / 2; x++) {
      float upper = top[2 * x + 1] > top[2 * x] ? top[2 * x + 1] : top[2 * x];
      float lower = bottom[2 * x + 1] > bottom[2 * x] ? bottom[2 * x + 1] : bottom[2 * x];
      line[x] = lower > upper ? lower : upper;
    }
    if (!places) continue;
    for (size_t x = 0; x < width / 2; x++) {
      float a = top[2 * x], b = top[2 * x + 1], c = bottom[2 * x], d = bottom[2 * x + 1];
      int32_t left = start + (int32_t)(2 * x);
      int32_t upper = b > a ? left + 1 : left;
      int32_t lower = (d > c ? left + 1 : left) + (int32_t)width;
      places[y * (width / 2) + x] = (d > c ? d : c) > (b > a ? b : a) ? lower : upper;
    }
  }
}

CLONES void ink_adam_step(
  const ink_adam *adam, float *restrict weights, const float *restrict gradient,
  float *restrict mean, float *restrict square, size_t count) {
  const ink_adam a = *adam;
  for (size_t i = 0; i < count; i++) {
    float slope = gradient[i] * a.gradient_scale + a.coupled_decay * weights[i];
    float m = a.beta1 * mean[i] + (1 - a.beta1) * slope;
    float v = a.beta2 * square[i] + (1 - a.beta2) * slope * slope;
    mean[i] = m;
    square[i] = v;
    float root = __builtin_elementwise_sqrt(v);
    weights[i] = a.kept * weights[i] - a.step_size * m / (root * a.root_scale + a.epsilon);
  }
}
