// Finding and making elements of the page.

const namespace = "http://www.w3.org/2000/svg";

/// The element with an id.
export const $ = (id) => document.getElementById(id);

/// Makes an element of an SVG.
export function shape(kind, attributes, text) {
  const element = document.createElementNS(namespace, kind);
  for (const [name, value] of Object.entries(attributes)) { element.setAttribute(name, value); }
  if (text !== undefined) { element.textContent = text; }
  return element;
}
