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

/// Returns a function that shows the elements with `ids` moved by a vector.
export function previewMoves(editor, ids) {
  const { picture, canvas: { renderer } } = editor;
  const states = new Map(picture.states.map((state) => [state.id, state]));
  const moved = picture.states.filter(({ id }) => ids.has(id));
  const attached = picture.transitions.filter(({ start, end }) => ids.has(start) || ids.has(end));

  function moveGroup(id, { x, y }) { renderer.group(id)?.setAttribute("transform", `translate(${x} ${y})`); }

  function bendArrow(transition, way) {
    const [isStart, isEnd] = [ids.has(transition.start), ids.has(transition.end)];
    if (transition.isLoop || transition.isInitialMarker || isStart && isEnd) { return moveGroup(transition.id, way); }
    const at = (id) => {
      const state = states.get(id);
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
    const [target, line, head, label] = renderer.group(transition.id)?.children ?? [];
    if (!target) { return; }
    const d = curve(start, flex, tip);
    target.setAttribute("d", d);
    line.setAttribute("d", d);
    // The head keeps its shape and turns with the line.
    const turn = angle(minus(tip, flex)) - angle(minus(transition.ends[1], transition.handle));
    const [shift, old] = [minus(tip, transition.ends[1]), transition.ends[1]];
    head.setAttribute("transform", `translate(${shift.x} ${shift.y}) rotate(${turn} ${old.x} ${old.y})`);
    const bent = minus(flex, transition.handle);
    label?.setAttribute("transform", `translate(${bent.x} ${bent.y})`);
  }

  const angle = ({ x, y }) => Math.atan2(y, x) * 180 / Math.PI;
  return {
    show(way) {
      for (const { id } of moved) { moveGroup(id, way); }
      for (const transition of attached) { bendArrow(transition, way); }
    },
    /// Has everything drawn as the document has it.
    end() { renderer.restore([...moved, ...attached].map(({ id }) => id)); },
  };
}
