// The loops whose speed Swift does not reach: one version for each instruction set, chosen when the
// program is loaded. Arrays must not overlap unless a comment says so.

#ifndef C_INK_KERNELS_H
#define C_INK_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The instruction set that the loader chose for all functions here, for example "avx512f".
const char *ink_instruction_set(void);

// Zeroed bytes, which the system provides where they are first used; ends the process if there is no memory.
void *ink_zeros(size_t bytes);
void ink_free(void *memory);

// values[i] = max(lowest, values[i] + bias); a lowest of -INFINITY only adds.
void ink_add_bias(float *values, size_t count, float bias, float lowest);

// values[i] = max(0, values[i]).
void ink_relu(float *values, size_t count);

// gradient[i] = 0 wherever output[i], of a ReLU, is 0.
void ink_relu_gradient(float *gradient, const float *output, size_t count);

// target[i] += source[i].
void ink_add(float *target, const float *source, size_t count);

// target[i] = source[i] where that is larger.
void ink_take_larger(float *target, const float *source, size_t count);

// The sum of values[i].
float ink_sum(const float *values, size_t count);

// How a convolution finds its patches.
typedef struct {
  size_t channels, height, width, kernel, stride, pad;
  // The values from one row of patches to the next.
  size_t row_stride;
} ink_patches;

// patches[c, i, j, (y, x)] = input[c, stride y + i - pad, stride x + j - pad], 0 outside ("im2col").
void ink_gather_patches(const ink_patches *shape, const float *input, float *patches);

// input[c, stride y + i - pad, stride x + j - pad] += patches[c, i, j, (y, x)], inside only ("col2im").
void ink_scatter_patches(const ink_patches *shape, const float *patches, float *input);

// A convolution of stride 1 over padded planes with the channels last:
//
//   sum[y, x, f] = sum over i, j, c of input[y + i, x + j, c] * weight[i, j, c, f]
//   output[y, x, f] = max(lowest, bias[f] + sum[y, x, f]), or, where it pools,
//   output[y, x, f] = max(lowest, bias[f] + the largest of sum[2y, 2x, f], sum[2y, 2x + 1, f],
//                                           sum[2y + 1, 2x, f], sum[2y + 1, 2x + 1, f])
//
// A lowest of -INFINITY keeps every value. Where it pools, `choices[y, x, f]` tells which of the
// four is the largest, the first one where several are; it may be NULL.
typedef struct {
  // Of the sums, before pooling.
  size_t rows, columns;
  // Of the input: 1 or a multiple of 16.
  size_t channels;
  size_t kernel;
  // A multiple of 16.
  size_t filters;
  bool pools;
  // The values from one row to the next.
  size_t input_row, output_row;
} ink_convolution;

// The input's rows and columns with their padding, and some more: sums are made two by two.
size_t ink_padded_rows(const ink_convolution *shape);
size_t ink_padded_columns(const ink_convolution *shape);

// Sums patch by patch; any kernel, any number of channels.
void ink_convolve(
  const ink_convolution *shape, const float *input, const float *weight, const float *bias,
  float lowest, float *output, uint8_t *choices);

// ink_convolve for kernels of 3 x 3 and 5 x 5 over 16 channels and more, by Winograd's F(2 x 2, 3 x 3)
// and F(2 x 2, 5 x 5) (Lavin & Gray, 2016, section 4), with 16 products where ink_convolve has 36,
// and 36 where it has 100. Weights are transformed before: [kernel, kernel, channels, filters] to
// [ink_winograd_points(), channels, filters].
bool ink_has_winograd(size_t kernel);
size_t ink_winograd_points(size_t kernel);
void ink_winograd_weights(
  const ink_convolution *shape, const float *weight, float *transformed);
void ink_convolve_winograd(
  const ink_convolution *shape, const float *input, const float *weight, const float *bias,
  float lowest, float *output, uint8_t *choices, float *scratch);
size_t ink_winograd_scratch(const ink_convolution *shape);

// The same for kernels of 3 x 3 by F(4 x 4, 3 x 3): 36 products where ink_convolve_winograd has 64, and sums that
// are a few times less exact. Weights are transformed to [36, channels, filters]. Parts of a picture that are
// computed apart begin with multiples of four rows of sums, or the tiles would be others.
size_t ink_wide_winograd_points(void);
void ink_wide_winograd_weights(
  const ink_convolution *shape, const float *weight, float *transformed);
void ink_convolve_wide_winograd(
  const ink_convolution *shape, const float *input, const float *weight, const float *bias,
  float lowest, float *output, float *scratch);
size_t ink_wide_winograd_scratch(const ink_convolution *shape);

// A part of the channels of what a convolution reads, from planes of its own.
typedef struct {
  // A multiple of 16.
  size_t channels;
  // The values from one row to the next.
  size_t row;
  // Whether each value stands for a square of 2 x 2 ("nearest" upsampling), which begins in an even
  // row and column of the convolution's output.
  bool is_doubled;
} ink_part;

// ink_convolve_winograd for kernels of 3 x 3 with a border of 1 over the joined channels of `parts`
// planes, in this order, those that are doubled first. Of a tile of doubled planes, 7 of 16 points are
// 0, so that 9 products are left of 16 and the large planes are never made.
void ink_convolve_joined(
  const ink_convolution *shape, size_t parts, const ink_part *part_shapes,
  const float *const *inputs, const float *weight, const float *bias, float lowest, float *output,
  float *scratch);

// The gradient of a convolution's weights by the same transforms. With V = B^T d B of each tile d of
// the input, and D = A g A^T of the square g of 2 x 2 of the output's gradient that belongs to it,
//
//   sums[point, c, f] += sum over tiles of V[tile, point, c] * D[tile, point, f]
//   weight_gradient[i, j, c, f] = (G^T sums[c, f] G)[i, j]
//
// so that the last transform is made once for all examples. `output_gradient` has rows of
// `gradient_row` values, and zeros up to an even number of rows and columns.
void ink_winograd_gradients(
  const ink_convolution *shape, const float *input, const float *output_gradient,
  size_t gradient_row, float *sums, float *scratch);
size_t ink_winograd_gradients_scratch(const ink_convolution *shape);
void ink_winograd_weight_gradient(
  const ink_convolution *shape, const float *sums, float *weight_gradient);

// The same for any kernel over an input of one channel:
// weight_gradient[i, j, f] += sum over y, x of input[y + i, x + j] * output_gradient[y, x, f].
void ink_picture_gradients(
  const ink_convolution *shape, const float *input, const float *output_gradient,
  size_t gradient_row, float *weight_gradient);

// The gradients of a convolution that pools and keeps what is above 0, from that of its output.
//
// Of four sums one was chosen, and it counts where it is above 0: no more than a quarter of the
// products of a whole convolution are made. Adds to the gradients of the weights and the bias;
// writes that of the padded input, unless it is NULL or the input has one channel.
//
// `weight` and its gradient are [filters, kernel, kernel, channels]; with one channel, the gradient
// is [kernel, kernel, filters].
void ink_pooled_gradients(
  const ink_convolution *shape, const float *input, const float *weight, const float *output,
  const uint8_t *choices, const float *output_gradient, float *weight_gradient,
  float *bias_gradient, float *input_gradient, float *scratch);
size_t ink_pooled_gradients_scratch(const ink_convolution *shape);

// A convolution with a stride over padded planes with the channels last, kernels of up to 32 x 32, or of
// 4 x 4 for the gradient of the input:
//
//   output[y, x, f] = max(lowest, bias[f] + sum over i, j, c of
//                                 input[stride y + i, stride x + j, c] * weight[i, j, c, f])
typedef struct {
  // Of the output.
  size_t rows, columns;
  // Of the input: 1 or a multiple of 16.
  size_t channels;
  size_t kernel, stride;
  // A multiple of 16.
  size_t filters;
  // The values from one row to the next.
  size_t input_row, output_row;
} ink_strided;

void ink_strided_convolve(
  const ink_strided *shape, const float *input, const float *weight, const float *bias, float lowest,
  float *output);

// weight_gradient[i, j, c, f] += sum over y, x of
//                                input[stride y + i, stride x + j, c] * output_gradient[y, x, f]
void ink_strided_weight_gradient(
  const ink_strided *shape, const float *input, const float *output_gradient, size_t gradient_row,
  float *weight_gradient);

// The gradient of the `height` rows and `width` columns of the input inside its padding of `pad`:
//
//   input_gradient[y, x, c] = sum over i, j, f of
//     output_gradient[(y + pad - i) / stride, (x + pad - j) / stride, f] * weight[i, j, f, c]
//
// over those i and j for which both are whole numbers; channels are a multiple of 16. Pointers are to the
// first value inside the padding. There are zeros around `output_gradient`, one row and column on each
// side. Where it `adds`, the sums are added to what is there.
void ink_strided_input_gradient(
  const ink_strided *shape, size_t pad, size_t height, size_t width, const float *weight,
  const float *output_gradient, size_t gradient_row, bool adds, float *input_gradient);

// A convolution of 3 x 3 over planes that are doubled before (nearest upsampling), with zeros around them.
//
// An output in an even row sees of the three rows that it reads one row of the input once and the next one
// twice, and one in an odd row the other way round: four products instead of nine, with sums of weights
// (Shi et al., 2016, section 3.2, have the same identity). With a, b, p, q of 0 or 1,
//
//   output[2 y + a, 2 x + b, f] += sum over p, q, c of
//                                  input[y - 1 + a + p, x - 1 + b + q, c] * weight[a, b, p, q, c, f]
//   weight[a, b, p, q] = the sum of kernel[i, j] over i of S(a, p) and j of S(b, q)
//   S(0, 0) = {0}, S(0, 1) = {1, 2}, S(1, 0) = {0, 1}, S(1, 1) = {2}
typedef struct {
  // Of the input; the output has twice as many.
  size_t rows, columns;
  // Multiples of 16.
  size_t channels, filters;
  // The values from one row to the next.
  size_t input_row, output_row;
} ink_doubled;

// Adds to the output. Pointers are to the first value; there are zeros around the input, one row and column
// on each side.
void ink_convolve_doubled(
  const ink_doubled *shape, const float *input, const float *weight, float *output);

// Writes the gradient of the input, with weights [a, b, p, q, f, c]; there are zeros around that of the
// output, one row and column on each side.
void ink_doubled_input_gradient(
  const ink_doubled *shape, const float *weight, const float *output_gradient, size_t gradient_row,
  float *input_gradient);

// Adds to the gradient of the summed weights.
void ink_doubled_weight_gradient(
  const ink_doubled *shape, const float *input, const float *output_gradient, size_t gradient_row,
  float *weight_gradient);

// sums[c] += sum over y, x of values[y, x, c], in rows of `row` values; channels a multiple of 16.
void ink_channel_sums(
  size_t rows, size_t columns, size_t channels, const float *values, size_t row, float *sums);

// Planes among the channels of wider ones, `scale` times as high and wide (nearest upsampling):
//
//   target[y, x, c] = source[y / scale, x / scale, c], for c below `channels`
//   source_gradient[y, x, c] = sum over i, j below scale of target_gradient[scale y + i, scale x + j, c]
//
// Pointers are to the first of these values; where it `adds`, the sums are added to what is there.
typedef struct {
  // Of the target; multiples of the scale.
  size_t rows, columns;
  size_t channels, scale;
  // The values from one place to the next, and from one row to the next.
  size_t source_channels, source_row, target_channels, target_row;
} ink_joint;

void ink_join(const ink_joint *shape, const float *source, float *target);
void ink_join_gradient(
  const ink_joint *shape, const float *target_gradient, bool adds, float *source_gradient);

// The loss of cells [cells, row], of which each has one logit a class and then the fields.
typedef struct {
  size_t cells, classes, fields;
  // A multiple of 16.
  size_t row;
} ink_cells;

// Returns the sum over cells n of w[y] * (log sum over c of exp z[c] - z[y]), for the logits z of a cell, its
// class y = truth[n], and the weights w of the classes; a cell whose class is none of them counts nothing.
//
//   gradient[n, c] = scale * w[y] * (exp z[c] / sum over d of exp z[d] - (1 where c = y)); 0 for fields
//   confusion[y, c] += the number of cells of class y whose highest logit is that of c, the first of several
double ink_cell_entropy(
  const ink_cells *shape, const float *logits, const uint8_t *truth, const float *weights,
  float scale, float *gradient, uint64_t *confusion);

// Returns the sum over the `count` fields from `first` on, of the cells whose mask is not 0, of
// (d^2 / 2 where |d| < 1, else |d| - 1 / 2), for the difference d of value and truth (Huber, 1964).
//
//   gradient[n, f] = scale * (d where |d| < 1, else the sign of d)
//
// Truth is [cells, fields]; a mask begins with that of the group of these fields, of `groups` a cell.
double ink_cell_huber(
  const ink_cells *shape, const float *values, const float *truth, const uint8_t *mask,
  size_t groups, size_t first, size_t count, float scale, float *gradient);

// Batch normalisation (Ioffe & Szegedy, 2015, algorithm 1) behind a convolution, with the ReLU and
// the 2 x 2 max-pooling behind it, one example at a time; values are [rows, columns, channels].
typedef struct {
  // Of the values, before pooling.
  size_t rows, columns;
  // A multiple of 16.
  size_t channels;
  bool pools;
  // 0 for ReLU; -INFINITY keeps every value.
  float lowest;
  // The values from one row of the output to the next.
  size_t output_row;
} ink_normalization;

// sums[c] = sum over y, x of values[y, x, c]
// squares[c] = sum over y, x of (values[y, x, c] - sums[c] / (rows * columns))^2
void ink_channel_moments(
  const ink_normalization *shape, const float *values, double *sums, double *squares);

// n[y, x, c] = values[y, x, c] * scale[c] + shift[c]
// output[y, x, c] = max(lowest, n[y, x, c]), or, where it pools, of the largest of four
//
// choices[y, x, c] tells which of the four is the largest, the first one where several are, 0 where
// nothing is pooled, and 4 where none is above the lowest.
void ink_normalize(
  const ink_normalization *shape, const float *values, const float *scale, const float *shift,
  float *output, uint8_t *choices);

// With g[y, x, c], the gradient of n, which is that of the output where n was chosen, and 0 elsewhere:
//
//   sums[c] = sum over y, x of g[y, x, c]
//   products[c] = sum over y, x of g[y, x, c] * (values[y, x, c] - mean[c])
void ink_normalization_sums(
  const ink_normalization *shape, const float *values, const float *mean, const uint8_t *choices,
  const float *output_gradient, double *sums, double *products);

// gradient[y, x, c] = factors[0, c] * g[y, x, c] + factors[1, c] * (values[y, x, c] - mean[c])
//                     + factors[2, c]
// in rows of `gradient_row` values.
void ink_normalization_gradient(
  const ink_normalization *shape, const float *values, const float *mean, const float *factors,
  const uint8_t *choices, const float *output_gradient, float *gradient, size_t gradient_row);

// Batch normalisation of rows of channels, as BatchNormalizationKernel has it; sums are added row by
// row. For up to 16 channels, which begin with the pointers, of rows that begin `row` values after each
// other:
//
//   totals[c] = sum over r of values[r, c], or of (values[r, c] - means[c])^2 unless `means` is NULL
//   shifts[c] = sum over r of gradient[r, c]
//   scales[c] = sum over r of gradient[r, c] * (values[r, c] - mean[c]) * inverse[c]
void ink_row_sums(
  size_t rows, size_t row, size_t channels, const float *values, const double *means,
  double *totals);
void ink_row_gradient_sums(
  size_t rows, size_t row, size_t channels, const float *values, const float *mean,
  const float *inverse, const float *gradient, double *scales, double *shifts);

// For any number of channels:
//
//   output[r, c] = values[r, c] * scale[c] + shift[c]
//   value_gradient[r, c] = factors[0, c] * (gradient[r, c] - factors[2, c]
//                                           - (values[r, c] - mean[c]) * inverse[c] * factors[1, c])
void ink_scale_rows(
  size_t rows, size_t channels, const float *values, const float *scale, const float *shift,
  float *output);
void ink_row_gradients(
  size_t rows, size_t channels, const float *values, const float *mean, const float *inverse,
  const float *gradient, const float *factors, float *value_gradient);

// output[e, u] = max(lowest, bias[u] + sum over i of input[e, i] * weight[i, u]), units a multiple
// of 16. The weights lie in panels of ink_dense_panel() units, the last one with what is left:
// [units / panel, inputs, panel].
size_t ink_dense_panel(void);
void ink_dense(
  size_t examples, size_t inputs, size_t units, const float *input, const float *weight,
  const float *bias, float lowest, float *output, float *scratch);
size_t ink_dense_scratch(size_t inputs);

// The same for one example whose first `count` inputs are hardly ever 0, and the others always.
void ink_dense_row(
  size_t count, size_t inputs, size_t units, const float *input, const float *weight,
  const float *bias, float *output);

// packed[y * row + x * packed_channels + c] = planes[c, y, x], and back.
void ink_pack(
  size_t channels, size_t height, size_t width, const float *planes, size_t packed_channels,
  size_t row, float *packed);
void ink_unpack(
  size_t channels, size_t height, size_t width, const float *packed, size_t packed_channels,
  size_t row, float *planes);

// The largest of each 2 x 2 square of a plane of [height, width], and its place in the plane.
void ink_max_pool_2x2(
  const float *plane, size_t height, size_t width, float *output, int32_t *places);

// One step of a recurrent layer for one example; units are a multiple of 16, and each gate has units
// values. `input` and `hidden` are the products of the weights with the step's input and with the state
// before it, with their biases. What the backward pass needs is written to `gates`, unless that is NULL.
//
// Gated recurrent units, in the order r, z, n (Cho et al., 2014), `gates` with r, z, n and hidden n:
//
//   r = sigmoid(input r + hidden r)       z = sigmoid(input z + hidden z)
//   n = tanh(input n + r * hidden n)      output = (1 - z) * n + z * state
//
// The gradient of the state comes from this step alone, without that through `hidden`. `output` may be
// `state`, and `state_gradient` may be `output_gradient`.
void ink_gru_step(
  size_t units, const float *input, const float *hidden, const float *state, float *gates,
  float *output);
void ink_gru_step_gradient(
  size_t units, const float *gates, const float *state, const float *output_gradient,
  float *input_gradient, float *hidden_gradient, float *state_gradient);

// Long short-term memory, in the order i, f, g, o (Hochreiter & Schmidhuber, 1997), `gates` with these
// and tanh(cell); sums s of input and hidden:
//
//   i = sigmoid(s i)   f = sigmoid(s f)   g = tanh(s g)   o = sigmoid(s o)
//   cell = f * cell + i * g               output = o * tanh(cell)
//
// In the backward pass, `cell` is that before the step, and `cell_gradient` becomes that of the step before.
void ink_lstm_step(
  size_t units, const float *input, const float *hidden, float *cell, float *gates,
  float *output);
void ink_lstm_step_gradient(
  size_t units, const float *gates, const float *cell, const float *output_gradient,
  float *cell_gradient, float *gate_gradient);

// The sum of values[i] * factors[i].
float ink_dot(const float *values, const float *factors, size_t count);

// totals[c] = sum over r of values[r, c], of rows that begin `row` values after each other.
void ink_add_rows(size_t rows, size_t row, size_t columns, const float *values, float *totals);

// The largest value of each column, and the first row that has it.
void ink_largest_rows(
  size_t rows, size_t row, size_t columns, const float *values, float *largest, int32_t *places);

// target[x, y] = source[y, x]; at most 16 rows.
void ink_transpose(
  size_t rows, size_t columns, const float *source, size_t source_row, float *target,
  size_t target_row);

// target[i] += factor * source[i].
void ink_add_scaled(float *target, const float *source, float factor, size_t count);

// Layer normalisation (Ba et al., 2016) of rows that begin `row` values after each other, with the mean m
// and the variance v of each row:
//
//   normalized[r, c] = (input[r, c] - m) * inverses[r]    inverses[r] = 1 / sqrt(v + epsilon)
//   output[r, c] = normalized[r, c] * weight[c] + bias[c]
//
// `normalized` and `inverses` may both be NULL; `output` may be `input`.
void ink_layer_normalization(
  size_t rows, size_t channels, size_t row, const float *input, const float *weight,
  const float *bias, float epsilon, float *normalized, float *inverses, float *output);

// Adds to the gradients of weight and bias; writes that of the input, unless it is NULL.
void ink_layer_normalization_gradient(
  size_t rows, size_t channels, const float *normalized, const float *inverses,
  const float *weight, const float *output_gradient, float *weight_gradient,
  float *bias_gradient, float *input_gradient);

// Connectionist temporal classification (Graves et al., 2006, section 4) of one example: -log p(label), where
// p(label) is the sum of the probabilities of all paths of one class a step that become the label when
// repetitions are merged and then blanks, class 0, left out.
//
// With l' = blank, label[0], blank, label[1], ..., blank, the log-softmax y of the logits, and s' -> s where
// s' = s, s' = s - 1, or s' = s - 2 and l'[s] is neither blank nor l'[s - 2]:
//
//   forward[t, s]  = y[t, l'[s]] + log sum over s' -> s of exp forward[t - 1, s']
//   backward[t, s] = log sum over s -> s' of exp (y[t + 1, l'[s']] + backward[t + 1, s'])
//   gradient[t, k] = scale * (exp y[t, k] - the share of the states with l'[s] = k in
//                             the sum over s of exp (forward[t, s] + backward[t, s]))
//
// Logits and gradient are [steps, classes]; `gradient` may be NULL. The label needs no more than `steps` steps:
// one a character, and one for the blank between two equal ones.
double ink_ctc(
  size_t steps, size_t classes, const float *logits, size_t length, const int32_t *label,
  float scale, float *gradient, float *scratch);
size_t ink_ctc_scratch(size_t steps, size_t classes, size_t length);

// One step of Adam or AdamW; see Optimizer.swift for the formula.
typedef struct {
  float beta1, beta2, epsilon, gradient_scale, coupled_decay, kept, step_size, root_scale;
} ink_adam;
void ink_adam_step(
  const ink_adam *adam, float *weights, const float *gradient, float *mean, float *square,
  size_t count);

#endif
