// What networks that answer for each cell need besides convolutions: joins of planes, upsampled or not, and the loss of
// every cell.

#include <math.h>
#include <string.h>

#include "CInkKernels.h"
#include "vectors.h"

// MARK: Joins

CLONES void ink_join(
  const ink_joint *shape, const float *restrict source, float *restrict target) {
  for (size_t y = 0; y < shape->rows; y++)
    for (size_t x = 0; x < shape->columns; x++) {
      const float *from = source + y / shape->scale * shape->source_row
        + x / shape->scale * shape->source_channels;
      float *to = target + y * shape->target_row + x * shape->target_channels;
      size_t c = 0;
      for (; c + LANES <= shape->channels; c += LANES) AT(to + c) = AT(from + c);
      for (; c < shape->channels; c++) to[c] = from[c];
    }
}

CLONES void ink_join_gradient(
  const ink_joint *shape, const float *restrict target_gradient, bool adds,
  float *restrict source_gradient) {
  size_t scale = shape->scale;
  for (size_t y = 0; y < shape->rows / scale; y++)
    for (size_t x = 0; x < shape->columns / scale; x++) {
      const float *square = target_gradient + y * scale * shape->target_row
        + x * scale * shape->target_channels;
      float *to = source_gradient + y * shape->source_row + x * shape->source_channels;
      size_t c = 0;
      for (; c + LANES <= shape->channels; c += LANES) {
        v16 sum = 0;
        for (size_t i = 0; i < scale; i++)
          for (size_t j = 0; j < scale; j++)
            sum += AT(square + i * shape->target_row + j * shape->target_channels + c);
        AT(to + c) = adds ? AT(to + c) + sum : sum;
      }
      for (; c < shape->channels; c++) {
        float sum = 0;
        for (size_t i = 0; i < scale; i++)
          for (size_t j = 0; j < scale; j++)
            sum += square[i * shape->target_row + j * shape->target_channels + c];
        to[c] = adds ? to[c] + sum : sum;
      }
    }
}

// MARK: Loss

CLONES double ink_cell_entropy(
  const ink_cells *shape, const float *restrict logits, const uint8_t *restrict truth,
  const float *restrict weights, float scale, float *restrict gradient,
  uint64_t *restrict confusion) {
  size_t classes = shape->classes, vectors = (classes + LANES - 1) / LANES;
  double loss = 0;
  for (size_t n = 0; n < shape->cells; n++) {
    const float *z = logits + n * shape->row;
    float *g = gradient + n * shape->row;
    memset(g, 0, shape->row * sizeof(float));
    size_t wanted = truth[n];
    if (wanted >= classes) continue;
    size_t highest = 0;
    for (size_t c = 1; c < classes; c++)
      if (z[c] > z[highest]) highest = c;
    confusion[wanted * classes + highest]++;
    for (size_t v = 0; v < vectors; v++) {
      v16 power = AT(z + v * LANES) - z[highest];
      power_of_e(&power);
      AT(g + v * LANES) = power;
    }
    float sum = 0;
    for (size_t c = 0; c < classes; c++) sum += g[c];
    loss += (double)weights[wanted] * (double)(logf(sum) - (z[wanted] - z[highest]));
    float factor = weights[wanted] * scale;
    for (size_t v = 0; v < vectors; v++) AT(g + v * LANES) = AT(g + v * LANES) * (factor / sum);
    for (size_t c = classes; c < vectors * LANES; c++) g[c] = 0;
    g[wanted] -= factor;
  }
  return loss;
}

double ink_cell_huber(
  const ink_cells *shape, const float *values, const float *truth, const uint8_t *mask,
  size_t groups, size_t first, size_t count, float scale, float *gradient) {
  double loss = 0;
  for (size_t n = 0; n < shape->cells; n++) {
    if (!mask[n * groups]) continue;
    const float *value = values + n * shape->row + shape->classes + first;
    const float *wanted = truth + n * shape->fields + first;
    float *g = gradient + n * shape->row + shape->classes + first;
    for (size_t f = 0; f < count; f++) {
      float difference = value[f] - wanted[f], distance = fabsf(difference);
      loss += distance < 1 ? 0.5 * (double)difference * (double)difference
                           : (double)distance - 0.5;
      g[f] = scale * (distance < 1 ? difference : difference > 0 ? 1 : -1);
    }
  }
  return loss;
}
