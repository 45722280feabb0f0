// Calls the board's code, which comes with the page (lab/scripts.py) and may still be on its way.

export default function (component) {
  const code = () => window.__mavrCode?.["NAME"], host = component.parentElement;
  clearInterval(host.__mavrWait);
  if (code()) return code()(component);
  let end = null;
  host.__mavrWait = setInterval(() => {
    if (!code()) return;
    clearInterval(host.__mavrWait);
    end = code()(component);
  }, 10);
  return () => { clearInterval(host.__mavrWait); end?.(); };
}
