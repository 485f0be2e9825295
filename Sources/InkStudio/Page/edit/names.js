// What states and transitions are called on the page and read aloud.

export const nameless = "a state without a name";

/// The name of the state with an id.
export function stateName(picture, id) {
  return picture.states.find((state) => state.id === id)?.name || (id ? nameless : "no state");
}

/// Describes an element, for those who hear it.
export function describe(picture, element) {
  if (!element) { return "No element selected"; }
  if (element.center) {
    return `${element.name ? `state ${element.name}` : nameless}${element.isInitial ? ", initial" : ""}${
      element.isFinal ? ", final" : ""}`;
  }
  return element.isInitialMarker ? `initial arrow of ${stateName(picture, element.end)}`
    : `transition from ${stateName(picture, element.start)} to ${stateName(picture, element.end)}, ${
      element.text || "no symbols"}`;
}
