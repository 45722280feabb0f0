// Before anything is drawn: whether the first steps will be shown, and a place for the sidebar (lab/style.css).
(() => {
  const root = document.documentElement, page = root.dataset.page, path = location.pathname.replace(/\/+$/, "");
  // Streamlit looks for its server below the page's own path first, and elsewhere a tenth of a second later: it is told where.
  if (page && path.endsWith(`/${page}`)) window.__streamlit = { BACKEND_BASE_URL: location.origin + path.slice(0, -page.length) };
  try {
    const visit = sessionStorage.getItem("mavr.welcome");
    if (visit === "open" || (visit === null && localStorage.getItem("mavr.welcome") === null)) root.dataset.first = "visit";
  } catch { /* a browser that keeps nothing is shown nothing */ }
  if (window.matchMedia("(max-width: 640px)").matches) { keepInSight(); makeRoom(); }
  if (!root.dataset.sidebar) return;
  // The place is given up when the sidebar is there, or when it does not come.
  const watch = new MutationObserver(() => { if (document.querySelector('[data-testid="stSidebar"]')) done(); });
  const late = setTimeout(() => done(), 20000);
  function done() { delete root.dataset.sidebar; watch.disconnect(); clearTimeout(late); }
  watch.observe(root, { childList: true, subtree: true });
  // On a phone the pages are a row that is swiped: the link of the page one is on comes into sight, once for each page.
  function keepInSight() {
    const plain = (path) => path.replace(/\/$/, "");
    let told = "";
    setInterval(() => {
      const row = document.querySelector(".st-key-phone_pages"), now = `${location.pathname} ${row?.scrollWidth}`;
      if (!row || now === told) return;
      told = now;
      // The first page's link has no address of its own and stands for the page one is on: the last that fits is meant.
      const link = [...row.querySelectorAll("a")].findLast((a) => plain(new URL(a.href).pathname) === plain(location.pathname));
      if (!link) return;
      const place = row.getBoundingClientRect(), own = link.getBoundingClientRect();
      row.scrollLeft += own.left - place.left - (place.width - own.width) / 2;
    }, 250);
  }
  // There the settings are a sheet from below: when it opens, the answers of a board come to stand above it.
  function makeRoom() {
    document.addEventListener("click", (event) => {
      if (!event.target.closest?.('[data-testid="stExpandSidebarButton"]')) return;
      setTimeout(() => {
        const place = document.querySelector('[class*="st-key-place_board"], [class*="st-key-place_map"]'), host = [...(place?.querySelectorAll("*") ?? [])].find((e) => e.shadowRoot);
        const canvas = host?.shadowRoot.querySelector(".stage > canvas, .points canvas"), sheet = document.querySelector('[data-testid="stSidebar"]');
        if (canvas && sheet) document.querySelector('[data-testid="stMain"]')?.scrollBy(0, canvas.getBoundingClientRect().bottom - sheet.getBoundingClientRect().top + 12);
      }, 400);
    }, true);
  }
})();
