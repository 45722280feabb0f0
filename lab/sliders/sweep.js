// A sweep over the whole range of a slider and back.

// From one end to the other and back, in milliseconds, and how much faster it may be.
const SWEEP = 12000, SPEEDS = [1, 2, 4, 0.5];

// Sweeps under way, of all sliders: pictures give way to each other while there is one.
const sweeps = (window.__mavrSweeps ??= new Set());

function fades() {
  const live = window.__mavrLive, calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (live) live.fades = sweeps.size > 0 && !calm;
}

// From where the slider stands; a second click ends it.
function sweep(control, button, state) {
  if (control.playing) { control.playing(); return; }
  const find = (name) => control.row.querySelector(`[data-do="${name}"]`), speed = find("speed"), film = find("record"), top = control.row.querySelector(".top");
  let frame = 0, last = performance.now(), phase = toPosition(control.s, control.value) / POSITIONS / 2, pace = 0;
  control.seek = (position) => {
    const share = position / POSITIONS / 2;
    phase = phase < 0.5 ? share : 1 - share;
    last = performance.now();
  };
  control.playing = () => {
    cancelAnimationFrame(frame);
    control.filming?.();
    control.playing = control.seek = null;
    sweeps.delete(control);
    fades();
    button.setAttribute("aria-pressed", "false");
    button.innerHTML = icon("play");
    control.row.classList.remove("playing");
    top.style.height = "";
    speed.hidden = film.hidden = true;
    state.rest();
  };
  sweeps.add(control);
  fades();
  button.setAttribute("aria-pressed", "true");
  button.innerHTML = icon("pause");
  // More buttons do not make the line higher.
  top.style.height = `${top.getBoundingClientRect().height}px`;
  control.row.classList.add("playing");
  speed.hidden = false;
  film.hidden = !window.__mavrLive?.film;
  speed.textContent = "1×";
  speed.onclick = () => { pace = (pace + 1) % SPEEDS.length; speed.textContent = `${SPEEDS[pace]}×`; };
  film.onclick = (e) => record(control, film, state, SWEEP / SPEEDS[pace], e.shiftKey);
  const go = (now) => {
    if (!control.row.isConnected) { control.playing(); return; }
    // A frame's time may lie before a seek within it. Under the hand, and while a film is made, the sweep waits.
    if (!control.held && !control.filming) {
      phase = (phase + (Math.max(0, now - last) * SPEEDS[pace]) / SWEEP) % 1;
      control.set(toValue(control.s, (phase < 0.5 ? 2 * phase : 2 - 2 * phase) * POSITIONS));
    }
    last = Math.max(now, last);
    frame = requestAnimationFrame(go);
  };
  frame = requestAnimationFrame(go);
}

// One sweep of the board's pictures, saved as a film that loops: each picture is waited for. A second click gives it up.
async function record(control, button, state, milliseconds, animated) {
  if (control.filming) { control.filming(); return; }
  const before = control.value, kept = button.innerHTML;
  let given = false;
  control.filming = () => { given = true; };
  button.setAttribute("aria-pressed", "true");
  window.__mavrLive.fades = false;
  const at = async (share) => {
    control.set(toValue(control.s, share * POSITIONS));
    await window.__mavrLive.painted();
    return `${control.s.label} = ${shortly(control.value)}`;
  };
  const told = (share) => { button.textContent = `${Math.round(100 * share)}%`; return !given; };
  let failed = "";
  try {
    const film = await window.__mavrLive.film({ at, told, milliseconds, animated });
    if (film) save(film.blob, `mavr-lab-${control.s.link}.${film.ending}`);
  } catch (error) { failed = `The film could not be made: ${error.message}.`; }
  control.filming = null;
  button.setAttribute("aria-pressed", "false");
  button.innerHTML = kept;
  if (control.playing) fades();
  control.set(before);
  if (!control.playing) state.rest();
  else if (failed) { control.playing(); control.why.textContent = failed; }
}
