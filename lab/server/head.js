// Before anything is drawn: whether the first steps will be shown, and a place for the sidebar (lab/style.css).
(() => {
  const root = document.documentElement;
  try {
    const visit = sessionStorage.getItem("mavr.welcome");
    if (visit === "open" || (visit === null && localStorage.getItem("mavr.welcome") === null)) root.dataset.first = "visit";
  } catch { /* a browser that keeps nothing is shown nothing */ }
  if (!root.dataset.sidebar) return;
  // The place is given up when the sidebar is there, or when it does not come.
  const watch = new MutationObserver(() => { if (document.querySelector('[data-testid="stSidebar"]')) done(); });
  const late = setTimeout(() => done(), 20000);
  function done() { delete root.dataset.sidebar; watch.disconnect(); clearTimeout(late); }
  watch.observe(root, { childList: true, subtree: true });
})();
