import { createCleaner, masked } from './clean-event.js';

const FLUSH_MS = 16;
/** Bytes: of one message, of what waits in the socket, and of what is kept until the service confirms it. */
const [MOST_MESSAGE, MOST_QUEUED, MOST_KEPT] = [4 * 1024 * 1024, 2 * 1024 * 1024, 1024 * 1024];
/** Most changes in one message; beyond that a snapshot is shorter. */
const MOST_EVENTS = 4_000;
const [FULL_SNAPSHOT, META] = [2, 4];

/** Never shown to an agent. */
const UNSEEN = 'cobrowse-layer, cobrowse-banner, [data-cobrowse-block]';
/** Never touched by an agent. */
export const BLOCKED = `${UNSEEN}, input[type="hidden" i]`;

/**
 * Streams the page while it's wanted. Events are cleaned before they're put into a message.
 *
 * @param {ReturnType<import('./socket.js').openSocket>} socket
 */
export function createPageStream(socket) {
  /** @type {typeof import('@rrweb/record').record | null} */
  let record = null;
  /** @type {(() => void) | null} */
  let stopRecording = null;
  let isWanted = false;
  const cleaner = createCleaner();
  /** @type {object[]} */
  let waiting = [];
  /** Sent but not confirmed yet. @type {{ seq: number, text: string }[]} */
  let kept = [];
  let [keptBytes, seq, timer] = [0, 0, 0];
  /** Something was dropped, so nothing is sent before the next snapshot. */
  let isBroken = false;

  function emit(event) {
    const cleaned = cleaner.clean(event);
    if (cleaned === null) return;
    if (event.type === META) waiting = [];
    waiting.push(cleaned);
    // Snapshots are sent immediately.
    if (event.type === FULL_SNAPSHOT) flush();
    else timer ||= setTimeout(flush, FLUSH_MS);
  }

  function flush() {
    clearTimeout(timer);
    timer = 0;
    const events = waiting;
    waiting = [];
    if (events.length === 0 || !isWanted) return;
    const startsAnew = events.some(({ type }) => type === META);
    if (isBroken && !startsAnew) return;
    const isTooMuch = socket.queued() > MOST_QUEUED || keptBytes > MOST_KEPT || events.length > MOST_EVENTS;
    if (!startsAnew && isTooMuch) {
      isBroken = true;
      return;
    }
    seq += 1;
    const text = JSON.stringify({ t: 'events', seq, events });
    if (text.length > MOST_MESSAGE) {
      isBroken = true;
      socket.send({ t: 'too-large', bytes: text.length });
      return;
    }
    if (startsAnew) [kept, keptBytes, isBroken] = [[], 0, false];
    kept.push({ seq, text });
    keptBytes += text.length;
    socket.sendText(text);
  }

  function snapshot() {
    if (stopRecording === null || record === null) return;
    waiting = [];
    record.takeFullSnapshot();
  }

  async function start(service) {
    isWanted = true;
    record ??= (await import(`${service}/snippet/vendor/record.js`)).record;
    if (!isWanted || stopRecording !== null) return;
    stopRecording =
      record({
        emit,
        // With the default batches of 500 ms, nothing would show as it happens.
        sampling: { mousemove: 50, mousemoveCallback: 100, scroll: 50 },
        maskAllInputs: true,
        maskInputFn: (text, element) => (isShown(element) ? text : masked(text)),
        maskTextSelector: '[data-cobrowse-mask], [contenteditable]:not([data-cobrowse-show])',
        maskTextFn: masked,
        blockSelector: UNSEEN,
        slimDOMOptions: 'all',
        inlineStylesheet: true,
        recordCanvas: false,
        collectFonts: false,
        recordCrossOriginIframes: false,
        // An error here must not break the page.
        errorHandler: () => true,
      }) ?? null;
  }

  function stop() {
    isWanted = false;
    stopRecording?.();
    stopRecording = null;
    clearTimeout(timer);
    [waiting, kept, keptBytes, timer] = [[], [], 0, 0];
  }

  return {
    start,
    stop,
    snapshot,
    /** The service has the events up to this one. @param {number} got */
    arrived(got) {
      kept = kept.filter((message) => message.seq > got);
      keptBytes = kept.reduce((sum, { text }) => sum + text.length, 0);
      if (isBroken && socket.queued() < MOST_QUEUED / 4) snapshot();
    },
    /** After a broken connection. @param {number} got */
    resume(got) {
      if (stopRecording === null) return;
      const isWhole = kept.length === 0 ? got === seq : (kept[0]?.seq ?? 0) <= got + 1;
      if (isBroken || !isWhole) snapshot();
      else for (const message of kept) if (message.seq > got) socket.sendText(message.text);
    },
    /** The page's node with this number in the stream. @param {number} id @returns {Node | null} */
    node: (id) => record?.mirror.getNode(id) ?? null,
    isRunning: () => stopRecording !== null,
  };
}

/** @param {Element | null} element */
export function isShown(element) {
  return element?.hasAttribute('data-cobrowse-show') === true && element.getAttribute('type') !== 'password';
}
