import { Replayer } from './vendor/replay.js';

const META = 4;
/** The player keeps every event it was given, so it's replaced before there are too many. */
const MOST_EVENTS = 20_000;

/** The player would scroll smoothly, and so arrive a quarter of a second late. @param {Window} shown */
function jumpAtOnce(shown) {
  const scrollTo = shown.scrollTo.bind(shown);
  shown.scrollTo = ({ left, top }) => scrollTo({ left, top, behavior: 'instant' });
}

/**
 * The visitor's page as the agent sees it: rebuilt in a frame without scripts, at the size of the visitor's window,
 * scaled to fit.
 *
 * @param {HTMLElement} stage
 * @param {{ title: string, onFirst: () => void, onFull: () => void }} options `onFull`: a snapshot is needed soon
 */
export function createScreen(stage, { title, onFirst, onFull }) {
  /** @type {any} */
  let player = null;
  let [first, startedAt, count] = [0, 0, 0];
  let size = { width: 0, height: 0 };

  function begin(timestamp) {
    player?.destroy();
    player = new Replayer([], {
      root: stage,
      liveMode: true,
      mouseTail: false,
      showWarning: false,
      triggerFocus: false,
      useVirtualDom: false,
      UNSAFE_replayCanvas: false,
      insertStyleRules: ['::-webkit-scrollbar { display: none }', 'html { scrollbar-width: none }'],
    });
    player.iframe.title = title;
    player.iframe.tabIndex = -1;
    player.on('resize', (changed) => {
      size = changed;
      fit();
    });
    player.on('fullsnapshot-rebuilded', () => {
      guard();
      onFirst();
    });
    [first, startedAt, count] = [timestamp, performance.now(), 0];
    jumpAtOnce(player.iframe.contentWindow);
    player.startLive(first);
  }

  function fit() {
    const { width, height } = size;
    if (width === 0 || player === null) return;
    const { clientWidth, clientHeight } = stage;
    const scale = Math.min(clientWidth / width, clientHeight / height);
    player.wrapper.style.transform = `translate(-50%, -50%) scale(${scale})`;
  }
  new ResizeObserver(fit).observe(stage);

  /** The picture is only for looking: links and forms in it lead nowhere, however they're reached. */
  function guard() {
    for (const kind of ['click', 'auxclick', 'submit', 'keydown'])
      page().addEventListener(kind, (event) => event.preventDefault(), { capture: true });
  }

  const page = () => player?.iframe.contentDocument ?? null;

  /** How many of the agent's pixels make one of the visitor's, and where the frame is. */
  function placement() {
    const box = player?.iframe.getBoundingClientRect() ?? new DOMRect();
    return { box, scale: size.width === 0 ? 1 : box.width / size.width };
  }

  return {
    /** @param {readonly any[]} events */
    add(events) {
      for (const event of events) {
        if (event.type === META && (player === null || count > MOST_EVENTS)) begin(event.timestamp);
        if (player === null) continue;
        // If the visitor's clock jumps ahead, the picture would freeze until then.
        const latest = first + performance.now() - startedAt;
        if (event.timestamp > latest) event.timestamp = latest;
        count += 1;
        player.addEvent(event);
      }
      if (count === MOST_EVENTS) onFull();
    },
    /** Converts a place on the agent's page to the visitor's window; null if it's outside. */
    toPage(clientX, clientY) {
      const { box, scale } = placement();
      const [x, y] = [(clientX - box.left) / scale, (clientY - box.top) / scale];
      const isInside = x >= 0 && y >= 0 && x < size.width && y < size.height;
      return isInside ? { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 } : null;
    },
    /** The element at a place in the visitor's window, even inside shadow trees. @returns {Element | null} */
    elementAt({ x, y }) {
      let found = page()?.elementFromPoint(x, y) ?? null;
      for (let inner = found; inner !== null && inner.shadowRoot !== null;) {
        inner = inner.shadowRoot.elementFromPoint(x, y);
        if (inner === null || inner === found) break;
        found = inner;
      }
      return found;
    },
    /** The stream's number for an element. @param {Element} element @returns {number | null} */
    idOf(element) {
      const mirror = player?.getMirror();
      for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
        const id = mirror?.getId(at) ?? -1;
        if (id > 0) return id;
      }
      return null;
    },
    /** Where an element is on the agent's page, relative to the stage. @param {Element} element */
    boxOf(element) {
      const { box, scale } = placement();
      const own = stage.getBoundingClientRect();
      const { left, top, width, height } = element.getBoundingClientRect();
      return {
        left: box.left - own.left + left * scale,
        top: box.top - own.top + top * scale,
        width: width * scale,
        height: height * scale,
        scale,
      };
    },
    page,
  };
}
