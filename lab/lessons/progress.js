// What a visitor has done stays in the browser: the union of what it remembers and what Python says.

const KEY = "mavr.lessons";

function remembered() {
  try {
    const found = JSON.parse(window.localStorage.getItem(KEY) ?? "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

const steps = (list) => (Array.isArray(list) ? list.filter(Number.isInteger) : []);

export default function ({ data, setStateValue }) {
  const here = remembered(), all = {};
  for (const name of [...new Set([...Object.keys(here), ...Object.keys(data.done)])].sort()) {
    all[name] = [...new Set([...steps(here[name]), ...steps(data.done[name])])].sort((a, b) => a - b);
  }
  const text = JSON.stringify(all);
  try {
    if (text !== window.localStorage.getItem(KEY)) window.localStorage.setItem(KEY, text);
  } catch { /* a browser that keeps nothing: the visit itself still knows */ }
  const known = JSON.stringify(Object.fromEntries(Object.entries(data.done).sort()));
  if (text !== known) setStateValue("done", all);
}
