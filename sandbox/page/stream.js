const RETRY_MS = 1500;

/**
 * Listens to the server for as long as the page lives, even through restarts of the server.
 * @param {string} as
 * @param {{ onSnapshot: (snapshot: import('./page.js').Snapshot) => void, onConnection: (connected: boolean) => void }}
 *   handlers
 */
export function openStream(as, handlers) {
  const stream = new EventSource(`/page-api/stream?as=${encodeURIComponent(as)}`);
  stream.addEventListener('snapshot', (event) => handlers.onSnapshot(JSON.parse(event.data)));
  stream.addEventListener('open', () => handlers.onConnection(true));
  stream.addEventListener('error', () => {
    handlers.onConnection(false);
    // The browser reconnects by itself after a lost connection, but gives up after an HTTP error.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => openStream(as, handlers), RETRY_MS);
  });
}
