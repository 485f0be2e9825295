#include <stdlib.h>

#include "CInkKernels.h"
#include "clones.h"

const char *ink_instruction_set(void) {
#if defined(__x86_64__) && defined(__linux__)
  // In the order in which the loader chooses among the clones.
  if (__builtin_cpu_supports("avx512f")) return "avx512f";
  return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "the compiler's target";
#endif
}

void *ink_zeros(size_t bytes) {
  void *memory = calloc(bytes, 1);
  if (!memory) abort();
  return memory;
}

void ink_free(void *memory) { free(memory); }

CLONES void ink_add_bias(float *values, size_t count, float bias, float lowest) {
  for (size_t i = 0; i < count; i++) {
    float value = values[i] + bias;
    values[i] = value < lowest ? lowest : value;
  }
}

CLONES void ink_relu(float *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = values[i] < 0 ? 0 : values[i];
}

CLONES void ink_relu_gradient(
  float *restrict gradient, const float *restrict output, size_t count) {
  for (size_t i = 0; i < count; i++) gradient[i] = output[i] > 0 ? gradient[i] : 0;
}

CLONES void ink_add(float *restrict target, const float *restrict source, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] += source[i];
}

CLONES void ink_take_larger(float *restrict target, const float *restrict source, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] = source[i] > target[i] ? source[i] : target[i];
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

// The output columns whose input column exists, for kernel column j.
static inline void existing_columns(
  const ink_patches *shape, size_t columns, size_t j, size_t *first, size_t *last) {
  *first = j < shape->pad ? (shape->pad - j + shape->stride - 1) / shape->stride : 0;
  // A picture can be narrower than the padding.
  size_t end = shape->width + shape->pad;
  *last = j < end ? (end - j + shape->stride - 1) / shape->stride : 0;
  if (*last > columns) *last = columns;
  if (*first > *last) *first = *last;
}

CLONES void ink_gather_patches(
  const ink_patches *shape, const float *restrict input, float *restrict patches) {
  size_t rows = (shape->height + 2 * shape->pad - shape->kernel) / shape->stride + 1;
  size_t columns = (shape->width + 2 * shape->pad - shape->kernel) / shape->stride + 1;
  float *restrict row = patches;
  for (size_t c = 0; c < shape->channels; c++) {
    for (size_t i = 0; i < shape->kernel; i++) {
      for (size_t j = 0; j < shape->kernel; j++, row += shape->row_stride) {
        size_t first, last;
        existing_columns(shape, columns, j, &first, &last);
        for (size_t y = 0; y < rows; y++) {
          float *restrict line = row + y * columns;
          size_t source_y = shape->stride * y + i - shape->pad;  // wraps to a huge number above the picture
          if (source_y >= shape->height) {
            for (size_t x = 0; x < columns; x++) line[x] = 0;
            continue;
          }
          const float *source = input + (c * shape->height + source_y) * shape->width;
          for (size_t x = 0; x < first; x++) line[x] = 0;
          if (shape->stride == 1) {
#pragma clang loop vectorize(enable) interleave(disable)
            for (size_t x = first; x < last; x++) line[x] = source[x + j - shape->pad];
          } else {
            for (size_t x = first; x < last; x++)
              line[x] = source[shape->stride * x + j - shape->pad];
          }
          for (size_t x = last; x < columns; x++) line[x] = 0;
        }
        for (size_t p = rows * columns; p < shape->row_stride; p++) row[p] = 0;
      }
    }
  }
}

CLONES void ink_scatter_patches(
  const ink_patches *shape, const float *restrict patches, float *restrict input) {
  size_t rows = (shape->height + 2 * shape->pad - shape->kernel) / shape->stride + 1;
  size_t columns = (shape->width + 2 * shape->pad - shape->kernel) / shape->stride + 1;
  const float *restrict row = patches;
  for (size_t c = 0; c < shape->channels; c++) {
    for (size_t i = 0; i < shape->kernel; i++) {
      for (size_t j = 0; j < shape->kernel; j++, row += shape->row_stride) {
        size_t first, last;
        existing_columns(shape, columns, j, &first, &last);
        for (size_t y = 0; y < rows; y++) {
          size_t source_y = shape->stride * y + i - shape->pad;
          if (source_y >= shape->height) continue;
          const float *restrict line = row + y * columns;
          float *target = input + (c * shape->height + source_y) * shape->width;
          for (size_t x = first; x < last; x++)
            target[shape->stride * x + j - shape->pad] += line[x];
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
