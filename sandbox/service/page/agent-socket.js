const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [250, 4_000];

/**
 * The agent's connection to the service. After a break it says how far it got, and continues there.
 *
 * @param {string} path
 * @param {{ onMessage: (message: import('../live/page-messages.ts').ToAgent) => void, onConnection: (isOpen: boolean)
 *   => void, }} handlers
 */
export function openAgentSocket(path, { onMessage, onConnection }) {
  const url = `${location.origin.replace(/^http/u, 'ws')}${path}`;
  /** @type {WebSocket | null} */
  let socket = null;
  let waitMs = FIRST_WAIT_MS;
  let [seen, stream] = [0, null];
  let [lastId, isDone] = [0, false];

  function connect() {
    const opening = new WebSocket(url);
    socket = opening;
    opening.addEventListener('open', () => {
      opening.send(JSON.stringify({ t: 'hello', stream, seen }));
      onConnection(true);
    });
    opening.addEventListener('message', ({ data }) => {
      waitMs = FIRST_WAIT_MS;
      const message = JSON.parse(data);
      if (message.t === 'events') seen = message.seq;
      if (message.t === 'gap') stream = message.stream;
      if (message.t === 'ended') isDone = true;
      onMessage(message);
    });
    opening.addEventListener('close', () => {
      if (socket !== opening) return;
      socket = null;
      if (isDone) return;
      onConnection(false);
      setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    });
  }
  connect();

  /** @param {object} message @returns {boolean} whether it was sent */
  function send(message) {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  return {
    send,
    /**
     * Does something on the visitor's page. @param {object} act @returns {number} its number, which the answer contains
     */
    act(act) {
      lastId += 1;
      send({ t: 'act', id: lastId, seen, act });
      return lastId;
    },
    isOpen: () => socket?.readyState === WebSocket.OPEN,
  };
}
