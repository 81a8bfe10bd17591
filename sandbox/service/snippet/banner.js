import { element, styleSheet } from './overlay.js';

const BANNER_CSS = `
  :host { all: initial; position: fixed; z-index: 2147483647; inset: auto 0 0 0; display: flex; justify-content: center;
    padding: 0 10px max(10px, env(safe-area-inset-bottom)); pointer-events: none; color-scheme: light dark; }
  * { box-sizing: border-box; }
  section { pointer-events: auto; background: light-dark(#fff, #232733); color: light-dark(#1c2130, #eceef4);
    border: 1px solid light-dark(#dfe2ec, #3a4051); border-radius: 16px; font: 15px/1.45 system-ui, sans-serif;
    box-shadow: 0 10px 40px rgb(20 20 60 / 22%); max-width: 27rem; animation: rise 220ms ease-out; }
  .card { padding: 18px 20px; width: 100%; }
  h2 { margin: 0 0 6px; font-size: 17px; line-height: 1.3; overflow-wrap: anywhere; }
  p { margin: 0; color: light-dark(#545c70, #b3bacb); overflow-wrap: anywhere; }
  .row { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 14px; }
  .bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: center; gap: 6px 10px;
    padding: 6px 6px 6px 16px; border-radius: 26px; max-width: 100%; }
  .bar .words { flex: 1 1 6rem; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
  button { white-space: nowrap; }
  .dot { flex: none; width: 10px; height: 10px; border-radius: 50%; background: #18a25f; }
  .dot.wait { background: #d98a00; }
  .dot.act { background: #6b4eff; }
  button { font: inherit; font-weight: 600; padding: 8px 16px; min-height: 40px; border-radius: 99px; cursor: pointer;
    border: 1px solid light-dark(#767f95, #7d869c); background: transparent; color: inherit; }
  button:hover { background: light-dark(#f1f2f8, #30364a); }
  button.main { background: #4d35d6; border-color: #4d35d6; color: #fff; }
  button.main:hover { background: #3f29bd; }
  .bar button { min-height: 36px; padding: 5px 12px; }
  .bar .stop { border-color: transparent; background: light-dark(#fbe9e8, #4a2526); color: light-dark(#a3201a, #ffb3ad); }
  .stars { display: flex; gap: 4px; margin-top: 12px; }
  .stars button { padding: 0; width: 44px; height: 44px; font-size: 20px; }
  .stars button[aria-pressed='true'] { background: #4d35d6; color: #fff; border-color: #4d35d6; }
  button:focus-visible { outline: 3px solid #6b4eff; outline-offset: 2px; }
  @keyframes rise { from { translate: 0 12px; opacity: 0; } }
  @media (prefers-reduced-motion: reduce) { section { animation: none; } }
`;

const ACCESS_WORDS = {
  draw: 'draw',
  click: 'click',
  scroll: 'scroll',
  type: 'fill in fields that aren’t hidden',
  agent_redirect: 'open pages',
};

/** @param {readonly string[]} words */
const inWords = (words) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

function button(label, press, className = '') {
  const made = element('button', className, label);
  made.setAttribute('type', 'button');
  made.addEventListener('click', (event) => {
    // Only a real press by the visitor answers.
    if (event.isTrusted) press();
  });
  return made;
}

function card(title, words, ...rest) {
  const made = element('section', 'card');
  const heading = element('h2', '', title);
  heading.id = 'title';
  made.setAttribute('role', 'dialog');
  made.setAttribute('aria-labelledby', 'title');
  made.append(heading, element('p', '', words), ...rest);
  return made;
}

function row(...buttons) {
  const made = element('div', 'row');
  made.append(...buttons);
  return made;
}

/**
 * Asks and informs the visitor. The agent doesn't see it and can't act on it. Its buttons react only to a person's own
 * press, never to a script of the page or an agent's click.
 *
 * @param {{ answer: (session: string, allow: boolean) => void, grant: (allow: boolean) => void, revoke: () => void,
 *   stop: () => void, rate: (session: string, rating: number) => void }} does
 */
export function createBanner(does) {
  const host = document.createElement('cobrowse-banner');
  const root = host.attachShadow({ mode: 'closed' });
  root.adoptedStyleSheets = [styleSheet(BANNER_CSS)];
  const place = element('div', '');
  place.setAttribute('aria-live', 'polite');
  root.append(place);
  let shown = '';
  /** A session that ended, until it's rated or dismissed. @type {{ session: string, agent: string } | null} */
  let over = null;

  /** Draws only what changed: a button must not disappear from under the visitor's finger. */
  function draw(key, build) {
    if (shown === key) return;
    shown = key;
    place.replaceChildren(...(key === '' ? [] : [build()]));
    if (key === '') host.remove();
    else if (!host.isConnected) document.documentElement.append(host);
  }

  function consent({ session, agent }) {
    return card(
      `${agent} would like to see this page`,
      'To help you. What you type stays hidden, and you can stop at any time.',
      row(
        button('Show this page', () => does.answer(session, true), 'main'),
        button('Not now', () => does.answer(session, false)),
      ),
    );
  }

  function question({ controller, asked }) {
    return card(
      `Let ${controller} control this page?`,
      `${controller} could ${inWords(asked.map((one) => ACCESS_WORDS[one] ?? one))}. You see everything as it happens. ` +
        'Press Esc to take control back.',
      row(
        button('Allow', () => does.grant(true), 'main'),
        button('Not now', () => does.grant(false)),
      ),
    );
  }

  function bar({ seenBy, controller, canAct, isWaiting, isAgentAway }) {
    const made = element('section', 'bar');
    made.setAttribute('aria-label', 'Screen sharing');
    const who = inWords([...new Set(seenBy)]);
    const words = isWaiting
      ? 'Reconnecting…'
      : isAgentAway
        ? `${who} is reconnecting…`
        : canAct
          ? `${controller} has control`
          : `${who} can see this page`;
    const color = isWaiting || isAgentAway ? 'dot wait' : canAct ? 'dot act' : 'dot';
    made.append(element('span', color), element('span', 'words', words));
    if (canAct) made.append(button('Take back', does.revoke));
    made.append(button('Stop', does.stop, 'stop'));
    return made;
  }

  function goodbye({ session, agent }) {
    const stars = element('div', 'stars');
    stars.setAttribute('role', 'group');
    stars.setAttribute('aria-label', 'Your rating');
    const rate = (rating) => {
      does.rate(session, rating);
      over = null;
      draw('thanks', () =>
        card('Thank you', 'Nobody can see this page anymore.', row(button('Close', close))),
      );
    };
    for (let rating = 1; rating <= 5; rating += 1) {
      const star = button(String(rating), () => rate(rating));
      star.setAttribute('aria-label', `${rating} of 5`);
      stars.append(star);
    }
    return card(
      `${agent} can’t see this page anymore`,
      'How was it? 5 is best.',
      stars,
      row(button('No, thanks', close)),
    );
  }

  function close() {
    over = null;
    draw('', () => place);
  }

  return {
    /** @param {any} state @param {boolean} isWaiting whether the connection is lost */
    show(state, isWaiting) {
      const { asking, seenBy, access, controller, asked, isAgentAway } = state;
      const [first] = asking;
      const canAct = access.some((one) => one !== 'draw');
      if (first) {
        over = null;
        draw(`ask ${first.session}`, () => consent(first));
      } else if (seenBy.length > 0 && asked.length > 0 && !isWaiting) {
        draw(`more ${controller} ${asked.join()}`, () => question({ controller, asked }));
      } else if (seenBy.length > 0) {
        const about = { seenBy, controller, canAct, isWaiting, isAgentAway };
        draw(`bar ${JSON.stringify(about)}`, () => bar(about));
      } else if (over) draw(`over ${over.session}`, () => goodbye(over));
      else if (shown !== 'thanks') draw('', () => place);
    },
    /** @param {{ session: string, agent: string }} session */
    sayEnded(session) {
      over = session;
    },
  };
}
