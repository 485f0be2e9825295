// Links that contain a whole document, deflated and in base64url.

import { $ } from "../elements.js";
import { complain } from "../server.js";

/// The longest link and the largest document in one, in characters and bytes.
const longest = 500_000;
const largest = 8_000_000;
const broken = "This link contains no whole document. Copy it again, to its end.";

/// All bytes of a stream, up to `largest`.
async function bytes(stream) {
  const parts = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) { return new Blob(parts); }
    size += value.length;
    if (size > largest) {
      await reader.cancel();
      throw new RangeError();
    }
    parts.push(value);
  }
}

async function encoded(text) {
  const deflated = await bytes(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const binary = [...new Uint8Array(await deflated.arrayBuffer())].map((byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/// The document in the text of a link: JSON, or JSON that is deflated.
async function decoded(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const data = new Blob([Uint8Array.from(binary, (character) => character.charCodeAt(0))]);
  return binary.startsWith("{") ? data : bytes(data.stream().pipeThrough(new DecompressionStream("deflate-raw")));
}

export function beginLinks(editor) {
  const said = $("link-said");

  $("link-copy").addEventListener("click", async () => {
    await editor.changes.settled();
    const file = await editor.changes.asking("file?form=automaton");
    const name = encodeURIComponent(editor.picture.name);
    const link = `${location.origin}/#document=${await encoded(JSON.stringify(file))}&name=${name}`;
    if (link.length > longest) {
      said.textContent = "The document is too large for a link. Save it as a file instead.";
      return;
    }
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = `The link is copied: ${link.length} characters.`;
    } catch {
      window.prompt("The browser does not let the studio copy. Copy the link here.", link);
    }
  });
  $("document-menu").addEventListener("toggle", () => { said.textContent = ""; });

  /// Opens the document that the address contains, after a question.
  return async () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const text = given.get("document");
    if (text === null) { return; }
    history.replaceState(null, "", "#edit");
    if (text.length > longest) { return complain("The document in this link is too large. Ask for it as a file."); }
    let file;
    try { file = await decoded(text); } catch (error) {
      return complain(error instanceof RangeError ? "The document in this link is too large. Ask for it as a file." : broken);
    }
    const name = (given.get("name") ?? "").slice(0, 100) || "Linked";
    if (!window.confirm(`Add the document “${name}” from this link to the documents of this studio?`)) { return; }
    const added = await editor.files.add(name, "form=automaton", file);
    if (added) { editor.files.open(added.name); }
  };
}
