"""What runs inside the pages: clocks that are started by the hand and stopped by the picture."""

from __future__ import annotations

# Both watchers call window.__answered with the milliseconds from mouse-up to the repainted panels.
# The page is not asked in between: asking would take time from what is measured.
COMMON = """
  window.__answered = (ms) => { window.__took = ms; window.__tell?.(ms); };
  window.__answer = () => new Promise((tell) => {
    if (window.__took !== null) return tell(window.__took);
    window.__tell = tell;
    setTimeout(() => tell(null), 10000);
  });
  const find = (node, what) => {
    const hit = node.querySelector(what);
    if (hit) return hit;
    for (const e of node.querySelectorAll('*'))
      if (e.shadowRoot) { const h = find(e.shadowRoot, what); if (h) return h; }
    return null;
  };
  window.__find = (what) => find(document, what);
"""
# A board is answered when its picture shows every event: `applied` is the last one shown.
WATCH_BOARD = (
    "() => {"
    + COMMON
    + """
  const root = find(document, '.board');
  const board = root.querySelector('.stage > canvas').mavr.board;
  window.__drag = { since: null, times: [], shown: 0 };
  let since = null;
  const up = () => { since = performance.now(); window.__took = null; };
  window.addEventListener('pointerup', up, true);
  new MutationObserver((changes) => {
    const now = performance.now(), drag = window.__drag;
    if (changes.some((c) => c.attributeName === 'data-shown')) {
      drag.shown++;
      if (drag.since !== null) { drag.times.push(now - drag.since); drag.since = null; }
    }
    if (since === null || Number(root.dataset.applied) < board.seq) return;
    const start = since;
    since = null;
    requestAnimationFrame(() => window.__answered(performance.now() - start));
  }).observe(root, { attributes: true });
  window.__moved = () => { window.__drag.since ??= performance.now(); };
}
"""
)
WATCH_PLOTLY = (
    "() => {"
    + COMMON
    + """
  const step = () => {
    const nodes = [...document.querySelectorAll('.js-plotly-plot .gtitle')];
    const titles = nodes.map((t) => t.textContent);
    const steps = titles.filter((t) => /^(mavr|lgc) /.test(t)).map((t) => Number(t.split(' ')[1]));
    return steps.length === 2 && steps[0] === steps[1] ? steps[0] : null;
  };
  window.addEventListener('pointerup', () => {
    const start = performance.now(), before = step();
    window.__took = null;
    const look = () => {
      const now = step();
      if (now !== null && now !== before) window.__answered(performance.now() - start);
      else if (performance.now() - start < 20000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, true);
}
"""
)
# The board without its socket: everything takes Streamlit's own way.
NO_SOCKET = """
  const Real = window.WebSocket;
  window.WebSocket = function (url, ...more) {
    return new Real(String(url).endsWith('/live') ? 'ws://127.0.0.1:9' : url, ...more);
  };
  window.WebSocket.prototype = Real.prototype;
  Object.assign(window.WebSocket, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });
"""
