// Writes the address of the view. What the link does not own (an embedded page's options) stays.

const KEPT = ["embed", "embed_options"];

export default function ({ data }) {
  const now = new URLSearchParams(window.location.search), next = new URLSearchParams(data.search);
  for (const name of KEPT) for (const value of now.getAll(name)) next.append(name, value);
  if (now.toString() === next.toString()) return;
  const search = next.toString(), url = window.location.pathname + (search ? `?${search}` : "");
  window.history[data.push ? "pushState" : "replaceState"](window.history.state, "", url);
}
