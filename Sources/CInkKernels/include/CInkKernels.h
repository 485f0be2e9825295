// The loops whose speed Swift does not reach: one version for each instruction set, chosen when the
// program is loaded. Arrays must not overlap unless a comment says so.

#ifndef C_INK_KERNELS_H
#define C_INK_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// values[i] = max(lowest, values[i] + bias); a lowest of -INFINITY only adds.
void ink_add_bias(float *values, size_t count, float bias, float lowest);

// values[i] = max(0, values[i]).
void ink_relu(float *values, size_t count);

// gradient[i] = 0 wherever output[i], of a ReLU, is 0.
void ink_relu_gradient(float *gradient, const float *output, size_t count);

// target[i] += source[i].
void ink_add(float *target, const float *source, size_t count);

// The sum of values[i].
float ink_sum(const float *values, size_t count);

// output[u] = max(lowest, bias[u] + sum over i of weight[u, i] * input[i]), weight [units, inputs].
void ink_multiply_vector(
  const float *weight, size_t units, size_t inputs, const float *input, const float *bias,
  float lowest, float *output);

// How a convolution of stride 1 reads its input.
typedef struct {
  size_t channels, height, width, kernel, pad;
  // The values from one row of patches to the next.
  size_t row_stride;
} ink_convolution;

// patches[c, i, j, (y, x)] = input[c, y + i - pad, x + j - pad], 0 outside ("im2col").
void ink_gather_patches(const ink_convolution *shape, const float *input, float *patches);

// The values that ink_convolve reads: [channels, height + 2 pad, width + 2 pad] and some more.
size_t ink_padded_count(const ink_convolution *shape);

// Copies [channels, height, width] into the middle of zeros, for ink_convolve.
void ink_pad(const ink_convolution *shape, const float *input, float *padded);

// output[f, y, x] = max(lowest, bias[f] + sum over c, i, j of
// weight[f, c, i, j] * padded[c, y + i, x + j]); a lowest of -INFINITY keeps every value.
void ink_convolve(
  const ink_convolution *shape, const float *padded, size_t filters, const float *weight,
  const float *bias, float lowest, float *output);

// input[c, y + i - pad, x + j - pad] += patches[c, i, j, (y, x)], inside only ("col2im").
void ink_scatter_patches(const ink_convolution *shape, const float *patches, float *input);

// The largest of each 2 x 2 square of a plane of [height, width], and its place in the plane where
// places is not NULL.
void ink_max_pool_2x2(
  const float *plane, size_t height, size_t width, float *output, int32_t *places);

// One step of Adam or AdamW; see Optimizer.swift for the formula.
typedef struct {
  float beta1, beta2, epsilon, gradient_scale, coupled_decay, kept, step_size, root_scale;
} ink_adam;
void ink_adam_step(
  const ink_adam *adam, float *weights, const float *gradient, float *mean, float *square,
  size_t count);

#endif
