import { createBanner } from './banner.js';
import { createOverlay } from './overlay.js';
import { createPageStream } from './page-stream.js';
import { perform } from './perform.js';
import { openSocket } from './socket.js';
import { randomId, tabId, visitorToken } from './storage.js';

const [LIVE_BEAT_MS, REST_BEAT_MS] = [1_000, 20_000];
const NOTHING = { asking: [], seenBy: [], access: [], controller: null, asked: [], isAgentAway: false };

const withoutActing = (access) => access.filter((one) => one === 'draw');
const canAct = ({ access }) => withoutActing(access).length < access.length;

/**
 * Tells the service that the visitor is here, and streams the page once the visitor agrees.
 *
 * @param {{ siteKey: string, service: string, visitor?: string, name?: string, email?: string }} settings `visitor`
 *   identifies a known visitor; without it the browser remembers who it was
 */
export function startVisit({ siteKey, service, visitor, name, email }) {
  const [tab, page] = [tabId(), randomId()];
  const overlay = createOverlay();
  const [shownName, shownEmail] = [name?.slice(0, 200), email?.slice(0, 200)];
  let state = NOTHING;
  let isConnected = true;
  let beating = 0;
  /** What the visitor took back, until the service has confirmed it: here it applies immediately. */
  let [mustStop, mustRevoke] = [false, false];

  const socket = openSocket(`${service.replace(/^http/u, 'ws')}/visit`, {
    onOpen() {
      const url = `${location.origin}${location.pathname}`.slice(0, 4_000);
      socket.send({
        t: 'hello',
        key: siteKey,
        visitor: visitor ?? visitorToken.read(),
        tab,
        page,
        url,
        name: shownName,
        email: shownEmail,
      });
      beat();
    },
    onMessage: receive,
    onConnection(isOpen) {
      isConnected = isOpen;
      banner.show(state, !isConnected);
    },
  });
  const stream = createPageStream(socket);
  const banner = createBanner({
    answer: (session, allow) => socket.send({ t: 'answer', session, allow }),
    grant: (allow) => socket.send({ t: 'grant', allow }),
    revoke,
    stop,
    rate: (session, rating) => socket.send({ t: 'feedback', session, rating }),
  });

  function receive(message) {
    switch (message.t) {
      case 'welcome':
        if (visitor === undefined) visitorToken.write(message.visitor);
        stream.resume(message.got);
        window.cobrowse = { ...window.cobrowse, code: message.code };
        document.dispatchEvent(new CustomEvent('cobrowse:ready', { detail: { code: message.code } }));
        break;
      case 'state':
        follow(message.state);
        break;
      case 'snapshot':
        stream.snapshot();
        break;
      case 'beat':
        stream.arrived(message.got);
        break;
      case 'act':
        act(message);
        break;
      case 'ended':
        banner.sayEnded(message);
        break;
    }
  }

  /** The state without what the visitor took back. */
  function heeded(next) {
    mustStop &&= next.seenBy.length > 0;
    mustRevoke &&= canAct(next);
    if (mustStop) socket.send({ t: 'stop' });
    if (mustRevoke) socket.send({ t: 'revoke' });
    if (mustStop) return NOTHING;
    return mustRevoke ? { ...next, access: withoutActing(next.access) } : next;
  }

  function follow(next) {
    const isAsked = next.asking.length > state.asking.length;
    state = heeded(next);
    const wasSeen = window.cobrowse?.isSeen;
    const isSeen = state.seenBy.length > 0;
    window.cobrowse = { ...window.cobrowse, isSeen };
    // For the sandbox's visitor, who begins to type then.
    if (isSeen && wasSeen !== true) document.dispatchEvent(new CustomEvent('cobrowse:seen'));
    if (isSeen) {
      overlay.show();
      void stream.start(service);
    } else {
      overlay.hide();
      stream.stop();
    }
    banner.show(state, !isConnected);
    const [asking] = state.asking;
    // For a site that asks in its own words, and for the sandbox's scripted visitor.
    if (isAsked && asking) {
      const answer = (allow) => socket.send({ t: 'answer', session: asking.session, allow });
      const detail = { agent: asking.agent, answer };
      window.cobrowse = { ...window.cobrowse, asked: detail };
      document.dispatchEvent(new CustomEvent('cobrowse:asked', { detail }));
    }
    beat();
  }

  function act({ id, by, act: wanted }) {
    const { result, why } = perform(wanted, { access: state.access, node: stream.node, overlay, by });
    if (id > 0) socket.send({ t: 'did', act: id, result, why });
  }

  function stop() {
    mustStop = true;
    follow(state);
  }

  function revoke() {
    mustRevoke = true;
    follow(state);
  }

  function beat() {
    clearTimeout(beating);
    socket.send({ t: 'beat', hidden: document.hidden });
    beating = setTimeout(beat, state.seenBy.length > 0 ? LIVE_BEAT_MS : REST_BEAT_MS);
  }

  document.addEventListener('visibilitychange', beat);
  addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape' && event.isTrusted && canAct(state)) revoke();
    },
    { capture: true },
  );
}
