// Shows elements that are dragged where they will be, with the arrows that are attached to them.

/// How straight a line is that stays straight, as a share of its length; the share of a head's width.
const straight = 0.02;

const minus = (a, b) => ({ x: a.x - b.x, y: a.y - b.y });
const plus = (a, b, share = 1) => ({ x: a.x + b.x * share, y: a.y + b.y * share });
const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const text = ({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`;

/// The point of a ring towards another point.
function ringPoint({ center, radius }, to) {
  const way = minus(to, center);
  const length = Math.hypot(way.x, way.y) || 1;
  return plus(center, way, radius / length);
}

/// The path through start, middle and tip.
function curve(start, flex, tip) {
  const [first, whole, last] = [minus(flex, start), minus(tip, start), minus(tip, flex)];
  return `M${text(start)} C${text(plus(start, first, 1 / 6))} ${text(plus(flex, whole, -1 / 6))} ${text(flex)} `
    + `C${text(plus(flex, whole, 1 / 6))} ${text(plus(tip, last, -1 / 6))} ${text(tip)}`;
}

/// A path with all its points moved, and turned around `pivot` before.
function shifted(path, { x, y }, turn = 0, pivot = { x: 0, y: 0 }) {
  const [sine, cosine] = [Math.sin(turn * Math.PI / 180), Math.cos(turn * Math.PI / 180)];
  return path.replace(/(-?[\d.]+),(-?[\d.]+)/g, (_, px, py) => {
    const from = minus({ x: Number(px), y: Number(py) }, pivot);
    return text({
      x: pivot.x + x + from.x * cosine - from.y * sine, y: pivot.y + y + from.x * sine + from.y * cosine,
    });
  });
}

const angle = ({ x, y }) => Math.atan2(y, x) * 180 / Math.PI;

/// How an arrow changes if the states with `ids` move by a vector: it moves as a whole, or bends.
function change(picture, ids, transition, way) {
  const [isStart, isEnd] = [ids.has(transition.start), ids.has(transition.end)];
  if (transition.isLoop || transition.isInitialMarker || isStart && isEnd) { return { isWhole: true }; }
  const at = (id) => {
    const state = picture.states.find((one) => one.id === id);
    return state && (ids.has(id) ? { ...state, center: plus(state.center, way) } : state);
  };
  let [[start, tip], flex] = [transition.ends, transition.handle];
  const length = Math.hypot(tip.x - start.x, tip.y - start.y);
  const bow = minus(flex, middle(start, tip));
  const isStraight = Math.hypot(bow.x, bow.y) < straight * length;
  flex = plus(flex, way, 0.5);
  [start, tip] = [isStart ? plus(start, way) : start, isEnd ? plus(tip, way) : tip];
  const [from, to] = [at(transition.start), at(transition.end)];
  if (from) { start = ringPoint(from, isStraight && to ? to.center : flex); }
  if (to) { tip = ringPoint(to, isStraight && from ? from.center : flex); }
  if (isStraight) { flex = middle(start, tip); }
  const [oldTip, oldFlex] = [transition.ends[1], transition.handle];
  return {
    line: curve(start, flex, tip), start, flex, tip, bent: minus(flex, oldFlex), shift: minus(tip, oldTip),
    // The head keeps its shape and turns with the line.
    turn: angle(minus(tip, flex)) - angle(minus(oldTip, oldFlex)),
  };
}

const isAttached = ({ start, end }, ids) => ids.has(start) || ids.has(end);

/// Moves elements of a document, as the server will move them.
export function moveElements(picture, ids, way) {
  for (const one of picture.transitions.filter((transition) => isAttached(transition, ids))) {
    const { isWhole, line, start, flex, tip, bent, shift, turn } = change(picture, ids, one, way);
    Object.assign(one, isWhole ? {
      line: shifted(one.line, way), head: shifted(one.head, way), ends: one.ends.map((end) => plus(end, way)),
      handle: plus(one.handle, way), label: plus(one.label, way),
    } : {
      line, head: shifted(one.head, shift, turn, one.ends[1]), ends: [start, tip], handle: flex,
      label: plus(one.label, bent),
    });
  }
  for (const state of picture.states.filter(({ id }) => ids.has(id))) { state.center = plus(state.center, way); }
}

/// Returns a function that shows the elements with `ids` moved by a vector.
export function previewMoves(editor, ids) {
  const { picture, canvas: { renderer } } = editor;
  const moved = picture.states.filter(({ id }) => ids.has(id));
  const attached = picture.transitions.filter((transition) => isAttached(transition, ids));

  function moveGroup(id, { x, y }) { renderer.group(id)?.setAttribute("transform", `translate(${x} ${y})`); }

  function bendArrow(transition, way) {
    const { isWhole, line, bent, shift, turn } = change(picture, ids, transition, way);
    if (isWhole) { return moveGroup(transition.id, way); }
    const [target, shaft, head, label] = renderer.group(transition.id)?.children ?? [];
    if (!target) { return; }
    target.setAttribute("d", line);
    shaft.setAttribute("d", line);
    const [, old] = transition.ends;
    head.setAttribute("transform", `translate(${shift.x} ${shift.y}) rotate(${turn} ${old.x} ${old.y})`);
    label?.setAttribute("transform", `translate(${bent.x} ${bent.y})`);
  }

  return {
    show(way) {
      for (const { id } of moved) { moveGroup(id, way); }
      for (const transition of attached) { bendArrow(transition, way); }
    },
    /// Has everything drawn as the document has it.
    end() { renderer.restore([...moved, ...attached].map(({ id }) => id)); },
  };
}
