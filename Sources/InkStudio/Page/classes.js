// The class of each cell of a photograph, as the network for whole pages sees it.

/// The directions in which a ring is looked for, and the share of them in which it has to be seen.
const around = { directions: 32, share: 0.6 };
/// How much nearer and farther than most of a ring a part of it can be.
const shape = { nearest: 0.5, farthest: 2 };

/// Paints the classes of an answer; the first class stays clear.
export function paintClasses(canvas, { rows, columns, cells, classes }) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const colors = classes.map(({ color }, index) => [
    ...[1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16)), index ? 255 : 0]);
  const text = atob(cells);
  for (let index = 0; index < text.length; index += 1) {
    image.data.set(colors[text.charCodeAt(index)], 4 * index);
  }
  context.putImageData(image, 0, 0);
}

/// Whether a place, in shares of the width and the height, is inside of what was taken for a ring.
export function isInRing({ rows, columns, cells, classes }, x, y) {
  const text = atob(cells);
  const ring = classes.findIndex(({ name }) => name === "ring");
  const [column, row] = [x * columns, y * rows];
  const distances = [];
  for (let number = 0; number < around.directions; number += 1) {
    const angle = 2 * Math.PI * number / around.directions;
    for (let distance = 1; ; distance += 0.5) {
      const [across, down] = [
        Math.floor(column + distance * Math.cos(angle)), Math.floor(row + distance * Math.sin(angle))];
      if (across < 0 || down < 0 || across >= columns || down >= rows) { break; }
      if (text.charCodeAt(down * columns + across) === ring) {
        distances.push(distance);
        break;
      }
    }
  }
  const middle = distances.sort((a, b) => a - b)[Math.floor(distances.length / 2)];
  const near = distances.filter((one) => one > shape.nearest * middle && one < shape.farthest * middle);
  return near.length >= around.share * around.directions;
}
