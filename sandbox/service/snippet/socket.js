const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [250, 5_000];

/**
 * A socket that reconnects by itself. `onOpen` says hello each time. Anything sent while it's closed is dropped, so
 * what matters has to be sent again after the welcome.
 *
 * @param {string} url
 * @param {{ onOpen: () => void, onMessage: (message: import('../live/page-messages.ts').ToPage) => void, onConnection:
 *   (isOpen: boolean) => void, }} handlers
 */
export function openSocket(url, { onOpen, onMessage, onConnection }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let waitMs = FIRST_WAIT_MS;
  let timer = 0;
  let isWanted = true;

  function connect() {
    const opening = new WebSocket(url);
    socket = opening;
    opening.addEventListener('open', () => {
      onOpen();
      onConnection(true);
    });
    opening.addEventListener('message', ({ data }) => {
      waitMs = FIRST_WAIT_MS;
      onMessage(JSON.parse(data));
    });
    opening.addEventListener('close', () => {
      if (socket !== opening) return;
      socket = null;
      onConnection(false);
      if (!isWanted) return;
      timer = setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    });
  }
  connect();
  // A page kept while another is shown (for the back button) has lost its socket, but only learns of it now.
  addEventListener('pageshow', (event) => {
    if (!event.persisted || !isWanted) return;
    clearTimeout(timer);
    connect();
  });

  return {
    /** @param {object} message */
    send: (message) => sendText(JSON.stringify(message)),
    sendText,
    /** Bytes waiting to be sent. */
    queued: () => socket?.bufferedAmount ?? 0,
    isOpen,
    close() {
      isWanted = false;
      clearTimeout(timer);
      socket?.close(1000);
    },
  };

  function isOpen() {
    return socket?.readyState === WebSocket.OPEN;
  }

  /** @param {string} text @returns {boolean} whether it was sent */
  function sendText(text) {
    if (!isOpen()) return false;
    socket?.send(text);
    return true;
  }
}
