// The one line that a site adds to its pages: <script src="…/snippet/snippet.js" data-site-key="site_…" async></script>
// It tells the service that the visitor is there, and shows nothing of the page until the visitor agrees.
(() => {
  const script = document.currentScript;
  const { siteKey, name, email } = script.dataset;
  const service = new URL(script.src).origin;
  const settings = { siteKey, name, email, service, ...window.cobrowseSettings };
  void import(new URL('visit.js', script.src).href).then(({ startVisit }) => startVisit(settings));
})();
