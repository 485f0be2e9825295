import { ask, complain, drawing, listen, takeFiles } from "./server.js";
import { capture } from "./ink.js";

const $ = (id) => document.getElementById(id);
const namespace = "http://www.w3.org/2000/svg";

function shape(kind, attributes, text) {
  const element = document.createElementNS(namespace, kind);
  for (const [name, value] of Object.entries(attributes)) { element.setAttribute(name, value); }
  if (text !== undefined) { element.textContent = text; }
  return element;
}

export async function beginEditing() {
  const svg = $("edit-drawing");
  let picture = null;
  let selected = null;
  let opening = 0;
  let run = null;
  let step = 0;
  // What is seen of the paper: the top left corner, and screen points a canvas point.
  let view = { x: 0, y: 0, zoom: 1 };
  let dragged = null;
  let pinch = null;
  const fingers = new Map();
  let queue = Promise.resolve();

  const at = (name, rest = "") => `/api/documents/${encodeURIComponent(name)}${rest}`;
  const path = (rest) => at(picture.name, `/${rest}`);
  const paper = (event) => {
    const box = svg.getBoundingClientRect();
    return {
      x: view.x + (event.clientX - box.left) / view.zoom,
      y: view.y + (event.clientY - box.top) / view.zoom,
    };
  };

  // One request after the other, in the order of the strokes.
  function change(rest, body) {
    const address = `${path(rest)}${rest.includes("?") ? "&" : "?"}id=${encodeURIComponent(picture.id)}`;
    queue = queue.then(async () => {
      const answer = await ask(address, "POST", body);
      if (answer.name === picture.name) { show(answer); }
    }).catch(() => {});
    return queue;
  }
  const command = (kind, fields) => change("command", { kind, ...fields });
  const elementNow = () =>
    [...picture.states, ...picture.transitions].find((element) => element.id === selected);

  // MARK: Showing

  function show(next) {
    // An offer to make a stroke something else ends with the next change.
    if (!next.decision && next.version !== picture?.version) { $("edit-decision").replaceChildren(); }
    picture = next;
    if (selected && ![...picture.states, ...picture.transitions].some((e) => e.id === selected)) {
      selected = null;
    }
    if (run && (run.version !== picture.version || run.name !== picture.name)) { endRun(); }
    draw();
    if (next.decision) { tell(next.decision); }
    $("edit-undo").disabled = !picture.canUndo;
    $("edit-redo").disabled = !picture.canRedo;
    $("edit-empty").hidden = picture.states.length + picture.transitions.length > 0;
    const items = [
      ...picture.errors.map((text) => ["error", text]),
      ...picture.warnings.map((text) => ["", text]),
    ];
    items.push(picture.isDeterministic ? ["good", "deterministic"] : ["", "not deterministic"]);
    $("edit-findings").replaceChildren(...items.map(([kind, text]) => {
      const item = document.createElement("li");
      item.className = kind;
      item.textContent = text;
      return item;
    }));
    showSelection();
  }

  function draw() {
    const box = svg.getBoundingClientRect();
    svg.setAttribute("viewBox",
      `${view.x} ${view.y} ${box.width / view.zoom} ${box.height / view.zoom}`);
    const lit = new Set();
    if (run) {
      run.steps[step].states.forEach((id) => lit.add(id));
      run.steps[step].transitions.forEach((id) => lit.add(id));
    }
    const group = (id) => shape("g", {
      "data-id": id, class: [selected === id ? "selected" : "", lit.has(id) ? "lit" : ""].join(" "),
    });
    const lines = picture.transitions.map((transition) => {
      const g = group(transition.id);
      g.append(
        shape("path", { class: "target", d: transition.line }),
        shape("path", { class: `line${transition.isDangling ? " loose" : ""}`, d: transition.line }),
        shape("path", { class: "line", d: transition.head }));
      if (transition.text) {
        g.append(shape("text", transition.label, transition.text));
      }
      return g;
    });
    const circles = picture.states.map((state) => {
      const g = group(state.id);
      const at = { cx: state.center.x, cy: state.center.y };
      g.append(shape("circle", { class: "target", ...at, r: state.radius }));
      for (const r of state.rings) { g.append(shape("circle", { class: "line", fill: "none", ...at, r })); }
      const text = shape("text", { x: state.center.x, y: state.center.y }, state.name);
      text.style.fontSize = `${24 * state.textScale}px`;
      g.append(text);
      return g;
    });
    svg.replaceChildren(...lines, ...circles, ...handles());
  }

  // Where the selected element can be taken hold of.
  function handles() {
    const state = picture.states.find((e) => e.id === selected);
    const transition = picture.transitions.find((e) => e.id === selected);
    const places = [];
    if (state) {
      places.push(["moveState", state.center]);
      places.push(["resizeState", { x: state.center.x + state.radius, y: state.center.y }]);
    }
    if (transition) {
      places.push([transition.isLoop ? "turnLoop" : "bend", transition.handle]);
      if (transition.ends.length) {
        places.push(["moveStart", transition.ends[0]], ["moveTip", transition.ends[1]]);
      }
    }
    return places.map(([kind, place]) => shape("circle", {
      class: "handle", "data-handle": kind, cx: place.x, cy: place.y, r: 11 / view.zoom,
    }));
  }

  function tell(decision) {
    const box = $("edit-decision");
    box.className = `decision${decision.isRefused ? " refused" : ""}`;
    const text = document.createElement("span");
    text.textContent = decision.text;
    box.replaceChildren(text, ...decision.instead.map((label) => {
      const button = document.createElement("button");
      button.textContent = `make it a ${label}`;
      button.addEventListener("click", () => {
        box.replaceChildren();
        svg.focus({ preventScroll: true });
        change(`instead?label=${label}`);
      });
      return button;
    }));
  }

  function showSelection() {
    const form = $("edit-selection");
    const state = picture.states.find((e) => e.id === selected);
    const transition = picture.transitions.find((e) => e.id === selected);
    const fields = $("selection-fields");
    $("selection-none").hidden = state || transition;
    if (!state && !transition) {
      $("selection-title").textContent = "Nothing selected";
      const hadFocus = fields.contains(document.activeElement);
      fields.replaceChildren();
      if (hadFocus) { svg.focus({ preventScroll: true }); }
      return;
    }
    const focused = fields.contains(document.activeElement) ? document.activeElement.id : null;
    // What is being typed stays.
    const isSame = form.dataset.id === selected && focused !== null;
    if (isSame && document.activeElement.matches("input:not([type])")) { return; }
    form.dataset.id = selected;
    const field = (name, value, done) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.value = value;
      input.id = `field-${name}`;
      input.autocomplete = "off";
      label.append(name, input);
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { event.preventDefault(); done(input); }
      });
      input.addEventListener("blur", () => { if (input.value !== String(value)) { done(input); } });
      return label;
    };
    const check = (name, value, done) => {
      const label = document.createElement("label");
      label.className = "check";
      const input = document.createElement("input");
      input.type = "checkbox";
      input.checked = value;
      input.id = `field-${name}`;
      input.addEventListener("change", () => done(input.checked));
      label.append(input, name);
      return label;
    };
    const button = (name, done) => {
      const element = document.createElement("button");
      element.type = "button";
      element.id = `field-${name}`;
      element.textContent = name;
      element.addEventListener("click", done);
      return element;
    };
    // A choice of states; `id` is the one that says "itself", or the one that is chosen.
    const choice = (name, itself, chosen = undefined) => {
      const select = document.createElement("select");
      select.id = `field-${name}`;
      select.setAttribute("aria-label", name);
      select.append(...picture.states.map((to) => new Option(
        to.id === itself ? "itself" : to.name || "a state without name", to.id, false, to.id === chosen)));
      return select;
    };
    // Where an end of an arrow is, for those who do not drag it.
    const end = (name, kind, chosen) => {
      const label = document.createElement("label");
      const select = choice(name, null, chosen);
      if (!chosen) { select.prepend(new Option("nowhere", "", true, true)); }
      select.addEventListener("change", () => {
        const to = picture.states.find((s) => s.id === select.value);
        if (to) { command(kind, { id: transition.id, place: to.center }); }
      });
      label.append(name, select);
      return label;
    };
    if (state) {
      $("selection-title").textContent = `State ${state.name}`;
      const others = choice("Arrow to", state.id);
      const arrow = document.createElement("div");
      arrow.className = "row";
      arrow.append(others, button("Add arrow", () => command("connect", { id: state.id, to: others.value })));
      fields.replaceChildren(
        field("name", state.name, (input) => command("rename", { id: state.id, text: input.value })),
        field("radius", Math.round(state.radius), (input) =>
          command("resizeState", { id: state.id, radius: Number(input.value) })),
        arrow,
        check("final", state.isFinal, (value) => command("setFinal", { id: state.id, value })),
        check("initial", state.isInitial, (value) => command("setInitial", { id: state.id, value })));
    } else {
      const symbols = document.createElement("p");
      symbols.className = "row wrap";
      symbols.append(...transition.symbols.map((text) => {
        const remove = button(`${text} ×`, () => command("removeSymbol", { id: transition.id, text }));
        remove.setAttribute("aria-label", `Remove ${text}`);
        return remove;
      }));
      $("selection-title").textContent =
        transition.isInitialMarker ? "Initial arrow" : transition.isLoop ? "Loop" : "Transition";
      fields.replaceChildren(...transition.isInitialMarker ? [] : [
        symbols,
        field("symbol", "", (input) => {
          const text = input.value;
          input.value = "";
          if (text.trim()) { command("addSymbol", { id: transition.id, text }); }
        }),
        check("ε", transition.includesEpsilon, (value) => command("setEpsilon", { id: transition.id, value })),
      ]);
      if (!transition.isLoop) {
        fields.append(end("from", "moveStart", transition.start), end("to", "moveTip", transition.end));
      }
      fields.append(button("Turn round", () => command("flip", { id: transition.id })));
    }
    fields.append(button("Delete", () => command("delete", { id: selected })));
    if (state) {
      fields.append(button("Delete with its arrows", () => command("delete", { id: selected, value: true })));
    }
    if (focused) { document.getElementById(focused)?.focus(); }
  }

  /// What an element is, for those who hear it.
  function words(element) {
    const name = (id) => picture.states.find((s) => s.id === id)?.name || (id ? "a state without name" : "nowhere");
    if (!element) { return "nothing selected"; }
    if (element.center) {
      return `state ${element.name || "without name"}${element.isInitial ? ", initial" : ""}${
        element.isFinal ? ", final" : ""}`;
    }
    return element.isInitialMarker ? `initial arrow of ${name(element.end)}`
      : `arrow from ${name(element.start)} to ${name(element.end)}, ${element.text || "no symbols"}`;
  }

  // MARK: Pen and hand

  const ink = capture(svg, $("edit-ink"), {
    place: paper,
    begins: (event) => !event.target.dataset?.handle && !event.shiftKey && !pinch,
    done: (stroke) => {
      const length = stroke.slice(1).reduce(
        (sum, p, i) => sum + Math.hypot(p.sx - stroke[i].sx, p.sy - stroke[i].sy), 0);
      // A tap selects; drawing draws.
      if (length < 6) { return select(stroke[0], stroke[0].kind); }
      const body = { drawing: drawing([stroke]), zoom: view.zoom };
      if (!$("edit-erase").checked) { return change("stroke", body); }
      change(`erase?attached=${$("edit-attached").checked}`, body);
    },
  });

  function choose(id) {
    selected = id;
    draw();
    showSelection();
    $("edit-said").textContent = words(elementNow());
  }

  function select(point, pointerType) {
    const under = picture.states.find(
      (s) => Math.hypot(s.center.x - point.x, s.center.y - point.y) <= s.radius);
    let id = under?.id ?? null;
    if (!id) {
      const probe = svg.createSVGPoint();
      [probe.x, probe.y] = [point.x, point.y];
      for (const g of svg.querySelectorAll("g[data-id]")) {
        if (g.querySelector("path.target")?.isPointInStroke(probe)) { id = g.dataset.id; }
      }
    }
    choose(id);
    // A keyboard on the screen comes only when it is asked for.
    if (id && pointerType !== "touch") { $("selection-fields").querySelector("input")?.focus(); }
  }

  svg.addEventListener("pointerdown", (event) => {
    const kind = event.target.dataset?.handle;
    if (dragged || event.button !== 0 || ink.isBesidePen(event)) { return; }
    if (kind) {
      dragged = { kind, id: selected, pointer: event.pointerId };
    } else if (event.shiftKey) {
      dragged = {
        kind: "pan", pointer: event.pointerId, from: { x: event.clientX, y: event.clientY }, view: { ...view },
      };
    } else { return; }
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    if (dragged.kind === "pan") {
      view.x = dragged.view.x - (event.clientX - dragged.from.x) / view.zoom;
      view.y = dragged.view.y - (event.clientY - dragged.from.y) / view.zoom;
      return draw();
    }
    const place = paper(event);
    if (dragged.kind === "moveState") {
      const { center } = picture.states.find((s) => s.id === dragged.id);
      svg.querySelector(`g[data-id="${CSS.escape(dragged.id)}"]`)?.setAttribute(
        "transform", `translate(${place.x - center.x} ${place.y - center.y})`);
    }
    const handle = svg.querySelector(`[data-handle=${dragged.kind}]`);
    handle?.setAttribute("cx", place.x);
    handle?.setAttribute("cy", place.y);
  });
  for (const lost of ["pointercancel", "lostpointercapture"]) {
    svg.addEventListener(lost, (event) => {
      if (dragged?.pointer !== event.pointerId) { return; }
      dragged = null;
      draw();
    });
  }
  svg.addEventListener("pointerup", (event) => {
    if (dragged?.pointer !== event.pointerId) { return; }
    const { kind, id } = dragged;
    dragged = null;
    if (kind === "pan") { return; }
    const place = paper(event);
    if (kind === "resizeState") {
      const { center } = picture.states.find((s) => s.id === id);
      command(kind, { id, radius: Math.hypot(place.x - center.x, place.y - center.y) });
    } else {
      command(kind, { id, place });
    }
  });

  // Two fingers move and enlarge the paper.
  const pinchNow = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  const fingerAt = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || ink.isBesidePen(event)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (fingers.size === 2) {
      ink.cancel();
      dragged = null;
      pinch = { ...pinchNow(), view };
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) { return; }
    fingers.set(event.pointerId, fingerAt(event));
    if (!pinch || fingers.size !== 2) { return; }
    const now = pinchNow();
    const next = Math.min(4, Math.max(0.1, pinch.view.zoom * now.distance / pinch.distance));
    // What was between the fingers stays there.
    view = {
      x: pinch.view.x + pinch.x / pinch.view.zoom - now.x / next,
      y: pinch.view.y + pinch.y / pinch.view.zoom - now.y / next, zoom: next,
    };
    draw();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    svg.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) { pinch = null; }
    });
  }

  function zoom(factor, x, y) {
    const box = svg.getBoundingClientRect();
    const [sx, sy] = [x ?? box.width / 2, y ?? box.height / 2];
    const next = Math.min(4, Math.max(0.1, view.zoom * factor));
    view = {
      x: view.x + sx / view.zoom - sx / next, y: view.y + sy / view.zoom - sy / next, zoom: next,
    };
    draw();
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    } else {
      view.x += event.deltaX / view.zoom;
      view.y += event.deltaY / view.zoom;
      draw();
    }
  }, { passive: false });

  function fit() {
    const box = svg.getBoundingClientRect();
    if (!picture.states.length) {
      view = { x: 0, y: 0, zoom: 1 };
      return draw();
    }
    const xs = picture.states.flatMap((s) => [s.center.x - s.radius, s.center.x + s.radius]);
    const ys = picture.states.flatMap((s) => [s.center.y - s.radius, s.center.y + s.radius]);
    for (const t of picture.transitions) {
      for (const p of [t.label, ...t.ends]) { xs.push(p.x); ys.push(p.y); }
    }
    const [left, top] = [Math.min(...xs) - 40, Math.min(...ys) - 40];
    const [width, height] = [Math.max(...xs) + 40 - left, Math.max(...ys) + 40 - top];
    const scale = Math.min(1.5, box.width / width, box.height / height);
    view = {
      zoom: scale, x: left - (box.width / scale - width) / 2, y: top - (box.height / scale - height) / 2,
    };
    draw();
  }

  function showErase() { $("edit-attached-label").hidden = !$("edit-erase").checked; }

  // MARK: Without a pen

  function addState() {
    const box = svg.getBoundingClientRect();
    const radius = 60;
    // Beside those that are there already.
    let x = view.x + box.width / view.zoom / 2;
    const y = view.y + box.height / view.zoom / 2;
    while (picture.states.some((s) => Math.hypot(s.center.x - x, s.center.y - y) < s.radius + radius)) {
      x += 3 * radius;
    }
    command("addState", { place: { x, y } });
  }

  function chooseNext(step) {
    const all = [...picture.states, ...picture.transitions];
    if (!all.length) { return; }
    const at = all.findIndex((element) => element.id === selected);
    choose(all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length].id);
  }

  function move(dx, dy) {
    const element = elementNow();
    if (!element) { return; }
    const from = element.center ?? element.handle;
    const place = { x: from.x + dx, y: from.y + dy };
    const kind = element.center ? "moveState" : element.isLoop ? "turnLoop" : "bend";
    command(kind, { id: element.id, place });
  }

  function press(event) {
    const element = elementNow();
    const length = event.shiftKey ? 2 : 20;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const keys = {
      Delete: () => element && command("delete", { id: element.id }),
      Escape: () => choose(null),
      Enter: () => $("selection-fields").querySelector("input")?.focus(),
      e: () => {
        $("edit-erase").checked = !$("edit-erase").checked;
        showErase();
      },
      n: () => chooseNext(event.shiftKey ? -1 : 1),
      s: addState,
      f: () => element?.center && command("setFinal", { id: element.id, value: !element.isFinal }),
      i: () => element?.center && command("setInitial", { id: element.id, value: !element.isInitial }),
      r: () => element && !element.center && command("flip", { id: element.id }),
      w: () => $("run-word").focus(),
      ".": () => $("step-on").click(),
      ",": () => $("step-back").click(),
      "+": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
    };
    const action = arrows[event.key]
      ? () => move(arrows[event.key][0] * length, arrows[event.key][1] * length)
      : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) { return; }
    event.preventDefault();
    action();
  }

  // MARK: Running

  function endRun() {
    run = null;
    $("run-tape").replaceChildren();
    $("run-step").textContent = "";
    $("run-result").textContent = "Nothing was run yet.";
    $("run-result").className = "";
    $("step-back").disabled = $("step-on").disabled = true;
  }

  function showStep() {
    $("run-tape").replaceChildren(...run.symbols.map((symbol, index) => {
      const cell = document.createElement("span");
      cell.textContent = symbol;
      cell.className = index < step ? "read" : index === step ? "now" : "";
      return cell;
    }));
    $("step-back").disabled = step === 0;
    $("step-on").disabled = step >= run.steps.length - 1;
    const names = run.steps[step].states.map(
      (id) => picture.states.find((s) => s.id === id)?.name || "a state without name");
    $("run-step").textContent =
      `${step} of ${run.symbols.length} read: in ${names.length ? names.join(", ") : "no state"}`;
    draw();
  }

  $("run-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await queue;
    const { name, version } = picture;
    const answer = await ask(at(name, "/run"), "POST", { word: $("run-word").value });
    if (name !== picture.name || version !== picture.version) { return; }
    const result = $("run-result");
    result.textContent = answer.isAccepted ? "Accepted" : `Rejected: ${answer.reason}`;
    result.className = answer.isAccepted ? "accepted" : "rejected";
    run = { ...answer, name, version };
    step = 0;
    showStep();
  });
  $("step-on").addEventListener("click", () => { step += 1; showStep(); });
  $("step-back").addEventListener("click", () => { step -= 1; showStep(); });

  // MARK: Documents

  async function refresh(name) {
    const next = await ask(at(name));
    if (next.name === picture.name) { show(next); }
  }

  // Another tab may draw on it as well, rename it or delete it.
  const hear = listen($("edit"), async (event) => {
    await queue;
    if (event.name !== picture.name) { return; }
    if (event.renamedTo) { return open(event.renamedTo); }
    if (event.isDeleted) {
      complain(`${event.name} was deleted in another window.`);
      return open(null);
    }
    if (event.version !== picture.version) { refresh(event.name); }
  });

  /// Shows a document; without a name, the first there is.
  async function open(wish) {
    opening += 1;
    const turn = opening;
    await queue;
    const names = await ask("/api/documents");
    const name = wish ?? names[0] ?? "Automaton 1";
    if (!names.includes(name)) { names.push(name); }
    const next = await ask(at(name));
    // Another one was chosen meanwhile.
    if (turn !== opening) { return; }
    endRun();
    selected = null;
    $("edit-decision").replaceChildren();
    $("edit-name").replaceChildren(...names.map((text) => new Option(text, text, false, text === name)));
    show(next);
    localStorage.setItem("document", name);
    fit();
    $("edit-files").replaceChildren(...["automaton", "jff", "dot", "txt", "svg", "png"].map((form) => {
      const link = document.createElement("a");
      link.href = path(`file?form=${form}`);
      link.download = "";
      link.textContent = form;
      return link;
    }));
    hear(path("versions"));
  }

  $("edit-name").addEventListener("change", (event) => open(event.target.value));
  $("edit-new").addEventListener("click", async () => {
    const names = await ask("/api/documents");
    let number = names.length + 1;
    while (names.includes(`Automaton ${number}`)) { number += 1; }
    open(`Automaton ${number}`);
  });
  $("edit-rename").addEventListener("click", async () => {
    const name = window.prompt("The document's name", picture.name)?.trim();
    if (name && name !== picture.name) {
      await queue;
      hear(null);
      open(await ask(path(`rename?to=${encodeURIComponent(name)}`), "POST"));
    }
  });
  $("edit-delete").addEventListener("click", async () => {
    if (!window.confirm(`Delete ${picture.name}? It is put into the folder “deleted”.`)) { return; }
    await queue;
    hear(null);
    await ask(at(picture.name), "DELETE");
    open(null);
  });
  $("edit-add").addEventListener("click", () => addState());
  $("edit-undo").addEventListener("click", () => change("undo"));
  $("edit-redo").addEventListener("click", () => change("redo"));
  $("edit-erase").addEventListener("change", showErase);
  $("edit-clear").addEventListener("click", () => command("clear", {}));
  $("zoom-in").addEventListener("click", () => zoom(1.25));
  $("zoom-out").addEventListener("click", () => zoom(0.8));
  $("zoom-fit").addEventListener("click", fit);
  for (const kind of ["determinize", "minimize", "complement"]) {
    $(`make-${kind}`).addEventListener("click", async () => {
      await queue;
      open(await ask(path(kind), "POST"));
    });
  }
  takeFiles($("edit"), $("edit-open"), async (file) => {
    const dot = file.name.lastIndexOf(".");
    if (dot < 1) { return complain("Expected a file whose name ends in .automaton, .jff, .dot, .txt or .json."); }
    const [stem, form] = [file.name.slice(0, dot), file.name.slice(dot + 1)];
    open(await ask(
      `/api/documents/${encodeURIComponent(stem)}/open?form=${encodeURIComponent(form)}`, "POST", file));
  });
  document.addEventListener("keydown", (event) => {
    if ($("edit").hidden) { return; }
    const isTyping = event.target.matches("input:not([type=checkbox]), select");
    if (isTyping && event.key === "Escape") { svg.focus(); }
    if (isTyping || event.altKey) { return; }
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "z") {
        event.preventDefault();
        change(event.shiftKey ? "redo" : "undo");
      }
    } else if (event.key !== "Enter" || event.target === svg || event.target === document.body) {
      press(event);
    }
  });
  new ResizeObserver(() => { if (picture) { draw(); } }).observe(svg);
  const begin = () => open(localStorage.getItem("document"));
  // What went wrong is said; the next look at the page tries again.
  await begin().catch(() => {});
  return () => { if (!picture) { begin(); } };
}
