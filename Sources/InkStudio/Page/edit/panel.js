// Puts the inspector beside the selection, and never over it.

import { $ } from "../elements.js";

/// The distance of the inspector from the selection and from the edges, in pixels.
const gap = 14;
/// Windows that are narrower or lower have the inspector below.
export const isSmall = () => innerWidth < 700 || innerHeight < 480;

export function makePanel(editor) {
  const form = $("edit-selection");
  let isMoving = false;

  /// The rectangle of the selected elements in the window.
  function selected() {
    const boxes = [...editor.selection.ids].map((id) => editor.canvas.renderer.group(id)?.getBoundingClientRect())
      .filter((box) => box);
    if (!boxes.length) { return null; }
    // With the handles.
    return {
      left: Math.min(...boxes.map((b) => b.left)) - 2 * gap, right: Math.max(...boxes.map((b) => b.right)) + 2 * gap,
      top: Math.min(...boxes.map((b) => b.top)) - 2 * gap, bottom: Math.max(...boxes.map((b) => b.bottom)) + 2 * gap,
    };
  }

  /// The part of the window between the menus and the tools, beside the open panels.
  function free() {
    const [bar, end, tools] = ["edit-bar", "present-end", "edit-tools"].map((id) => $(id).getBoundingClientRect());
    const room = {
      // While a document is presented, there is one button and no tools.
      left: gap, right: innerWidth - gap, top: Math.max(bar.bottom, end.bottom) + gap,
      bottom: (tools.height ? tools.top : innerHeight) - gap,
    };
    for (const panel of [$("run-panel"), $("compare")].filter(({ hidden }) => !hidden)) {
      const box = panel.getBoundingClientRect();
      if (box.width > innerWidth / 2) {
        room.bottom = Math.min(room.bottom, box.top - gap);
      } else if (box.left < innerWidth / 2) {
        room.left = Math.max(room.left, box.right + gap);
      } else {
        room.right = Math.min(room.right, box.left - gap);
      }
    }
    return room;
  }

  /// How much of the drawing the inspector would cover at a place.
  function covered({ left, top }, width, height) {
    const { picture: { states, transitions }, canvas, view } = editor;
    const isIn = (place, reach) => {
      const { x, y } = canvas.onScreen(place);
      return x > left - reach && x < left + width + reach && y > top - reach && y < top + height + reach;
    };
    const rings = states.filter(({ center, radius }) => isIn(center, radius * view.zoom));
    const places = transitions.flatMap(({ handle, label }) => [handle, label]);
    return rings.length + places.filter((at) => isIn(at, gap)).length;
  }

  /// Shows the inspector where it covers nothing that is selected.
  function place() {
    const { label, selection } = editor;
    const isHidden = !selection.ids.size || selection.isFresh || isMoving || label.isOpen;
    form.hidden = isHidden;
    document.body.classList.toggle("inspecting", !isHidden);
    if (isHidden) { return; }
    const box = selected();
    if (!box) { return; }
    if (isSmall()) {
      form.style.left = form.style.top = "";
      return;
    }
    const [room, width, height] = [free(), form.offsetWidth, form.offsetHeight];
    const within = (value, low, high) => Math.max(low, Math.min(value, high));
    const x = within((box.left + box.right - width) / 2, room.left, room.right - width);
    const y = within((box.top + box.bottom - height) / 2, room.top, room.bottom - height);
    const places = [
      { left: box.right, top: y }, { left: box.left - width, top: y },
      { left: x, top: box.bottom }, { left: x, top: box.top - height },
    ];
    const fits = ({ left, top }) => left >= room.left && left + width <= room.right
      && top >= room.top && top + height <= room.bottom;
    // A selection that fills the window leaves only a corner.
    const [best = { left: room.left, top: room.bottom - height }] = places.filter(fits)
      .map((at) => ({ ...at, covered: covered(at, width, height) })).sort((a, b) => a.covered - b.covered);
    const stage = $("edit").getBoundingClientRect();
    form.style.left = `${best.left - stage.left}px`;
    form.style.top = `${best.top - stage.top}px`;
  }

  /// Moves the paper so that the inspector below does not cover the selection.
  function uncover() {
    const box = selected();
    if (form.hidden || !box || !isSmall()) { return; }
    const sheet = form.getBoundingClientRect();
    if (box.bottom < sheet.top || box.right < sheet.left) { return; }
    // Up, or to the left where the inspector is beside the drawing.
    if (sheet.width > innerWidth / 2) {
      const top = $("edit-bar").getBoundingClientRect().bottom;
      editor.view.y += Math.min(box.bottom - sheet.top, Math.max(0, box.top - top)) / editor.view.zoom;
    } else {
      editor.view.x += Math.min(box.right - sheet.left, Math.max(0, box.left)) / editor.view.zoom;
    }
    editor.canvas.look();
  }

  return {
    place, uncover, free,
    /// Hides the inspector and the handles while the selection is moved.
    setMoving(value) {
      isMoving = value;
      editor.canvas.svg.classList.toggle("dragging", value);
      place();
    },
  };
}
