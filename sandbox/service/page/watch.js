// The agent's side of a session: what the visitor sees, and what the agent can do.
import { openAgentSocket } from './agent-socket.js';
import { GONE_MS, hintWords, stepOf } from './hints.js';
import { createScreen } from './screen.js';
import { createTools, HIGHLIGHT_MS } from './tools.js';

const byId = (id) => document.getElementById(id);
const { watch: base, onEnd, name, seconds, granted } = document.body.dataset;
const mayAskFor = granted.split(' ').filter((one) => one !== '' && one !== 'draw');
const startedAt = Date.now() - Number(seconds) * 1_000;
/** After how long the picture is too old to act on. */
const STALE_MS = 2_500;

const BY_WORDS = {
  agent: 'You ended it.',
  visitor: `${name} ended it.`,
  declined: `${name} declined.`,
  api: 'Stopped from Slack.',
  idle: 'Nothing happened for a while.',
  'visitor-gone': `${name} left.`,
  'page-closed': 'This tab was closed.',
  'page-lost': 'Your connection was lost.',
};
/** Where the agent never saw the visitor's page. */
const UNSEEN_WORDS = {
  ...BY_WORDS,
  agent: `You ended it before you saw ${name}’s page.`,
  idle: `${name} didn’t answer.`,
};
const REFUSAL_WORDS = {
  'no-access': `${name} hasn’t given you that. Ask for control first.`,
  'not-in-control': 'Somebody else is in control. Take control first.',
  'not-live': `${name}’s page isn’t connected.`,
  stale: 'The page has changed since. Look again.',
  'bad-act': 'That isn’t possible here.',
  masked: `Only ${name} can type here: what is typed is hidden from you.`,
  file: `Only ${name} can choose a file. Ask them to press it.`,
  own: `Only ${name} can use that.`,
  gone: 'It isn’t on the page anymore.',
  popup: `It opens a window, which only ${name}’s own press can do. Ask them to press it.`,
  'no-effect': 'It’s disabled on the page.',
};
const TOOL_WORDS = {
  pointer: `Pointer is on: ${name} sees where you point. Click something to highlight it.`,
  draw: `Draw is on: ${name} sees your lines for a few seconds.`,
  act: `Control is on: your clicks, scrolling and typing happen on ${name}’s page.`,
};

let state = {
  status: 'new',
  page: 'lost',
  othersAsking: [],
  access: [],
  asked: [],
  control: 'nobody',
  controller: '',
};
let tool = 'pointer';
let isConnected = true;
let hasPicture = false;
let isOver = false;
/** When the visitor's page last sent something. */
let heardAt = Date.now();
/** When the visitor's page was last connected, and whether it ever was. */
let [presentAt, hasCome] = [Date.now(), false];
/** Whether the visitor is asked in the tab of another session, where their page is seen already. */
let isElsewhere = false;
/** What was last pointed out. @type {Element | null} */
let pointedOut = null;
/** What was said last, where things stood then, and until when it holds. */
let said = { words: '', about: '', until: 0 };

const screen = createScreen(byId('stage'), {
  title: `${name}’s page`,
  onFirst() {
    const isFirst = !hasPicture;
    hasPicture = true;
    if (isFirst) say(`${name} agreed.`);
    draw();
  },
  onFull: () => socket.send({ t: 'snapshot' }),
});
const socket = openAgentSocket(`${base}/socket`, {
  onMessage: receive,
  onConnection(isOpen) {
    const isBack = isOpen && !isConnected;
    isConnected = isOpen;
    if (isBack) say('Connected again.');
    draw();
  },
});
const tools = createTools(byId('surface'), screen, {
  act: (act) => socket.act(act),
  tool: () => tool,
  access: () => state.access,
  canPoint: () => isLive() && state.control === 'you' && !isStale(),
  onHighlight(target) {
    pointedOut = target;
    say(`Highlighted for ${name}.`, HIGHLIGHT_MS);
  },
});

function receive(message) {
  if (isOver) return;
  switch (message.t) {
    case 'state':
      follow(message.state);
      break;
    case 'events':
      heardAt = Date.now();
      screen.add(message.events);
      break;
    case 'beat':
      if (message.pageBeatMs >= 0) heardAt = Math.max(heardAt, Date.now() - message.pageBeatMs);
      break;
    case 'too-large':
      say(
        `The page is too large to show: ${megabytes(message.bytes)} of at most ${megabytes(message.most)}.`,
      );
      break;
    case 'did':
      if (message.result === 'refused')
        say(REFUSAL_WORDS[message.why] ?? REFUSAL_WORDS['bad-act'], HIGHLIGHT_MS);
      else tools.done(message.id);
      break;
    case 'ended':
      finish(message);
      break;
  }
  draw();
}

const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function follow(next) {
  const before = state;
  state = next;
  if (before.status !== next.status && next.status === 'asking') isElsewhere = next.page !== 'lost';
  const hadControl = canAct(before);
  if (!hadControl && canAct(next)) {
    choose('act');
  } else if (hadControl && !canAct(next)) {
    say(`${name} took control back.`);
    tool = 'pointer';
    tools.close();
  } else if (before.asked.length > 0 && next.asked.length === 0) say(`${name} said not now.`);
  const address = (next.url ?? '').replace(/^https?:\/\//u, '');
  if (document.activeElement !== byId('address')) byId('address').value = address || 'unknown page';
}

const canAct = ({ access }) => access.some((one) => one !== 'draw');
const isLive = () => isConnected && state.status === 'live' && state.page !== 'lost' && hasPicture;
const behindMs = () => Date.now() - heardAt;
const isPresent = () => state.status === 'asking' || (state.status === 'live' && state.page !== 'lost');
const awayMs = () => Date.now() - presentAt;
const isStale = () => state.page !== 'hidden' && behindMs() > STALE_MS;

/** The words about the connection, and their color. @returns {[string, string]} */
function health() {
  if (!isConnected) return ['Reconnecting…', 'bad'];
  if (state.status === 'new') return ['Connecting…', 'waiting'];
  if (state.status === 'waiting') return [`Waiting for ${name}`, 'waiting'];
  if (state.status === 'asking') return [`Asking ${name}`, 'waiting'];
  if (state.page === 'lost')
    return awayMs() < GONE_MS ? [`Waiting for ${name}’s page`, 'waiting'] : [`${name}’s page is gone`, 'bad'];
  if (!hasPicture) return [`Loading ${name}’s page`, 'waiting'];
  if (state.page === 'hidden') return [`In another tab`, 'waiting'];
  if (isStale()) return [`${Math.round(behindMs() / 1_000)} s behind`, 'bad'];
  return ['Live', 'live'];
}

function coverWords() {
  if (state.status === 'new' || (!isConnected && !hasPicture)) return 'Connecting…';
  if (state.status === 'waiting') return `Waiting for ${name} to open a page.`;
  if (state.status === 'asking') return `Waiting for ${name} to agree.`;
  return hasPicture ? '' : `Loading ${name}’s page…`;
}

function setText(id, text) {
  setWords(byId(id), text);
}

/** Only changes are announced to a screen reader. */
function setWords(element, text) {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function draw() {
  if (isOver) return;
  // Without a connection of ours, we can't know.
  if (isPresent() || !isConnected) presentAt = Date.now();
  hasCome ||= isPresent();
  const [words, kind] = health();
  setText('health', words);
  const holds = said.about === whereThingsStand() && Date.now() < said.until;
  setText('state', holds ? said.words : standingWords(kind));
  byId('health').dataset.health = kind;
  setText('cover-words', coverWords());
  byId('cover').hidden = coverWords() === '';
  byId('screen').dataset.stale = String(hasPicture && (kind === 'bad' || state.page === 'lost'));
  for (const button of document.querySelectorAll('[data-tool]')) {
    const own = button.dataset.tool;
    button.setAttribute('aria-pressed', String(own === tool && (own !== 'act' || canAct(state))));
    button.disabled = state.status !== 'live' || !hasPicture || !('isGranted' in button.dataset);
  }
  setWords(document.querySelector('[data-tool="act"]'), actLabel());
  byId('surface').dataset.mode = isLive() ? tool : 'none';
  const canLead = state.access.includes('agent_redirect');
  byId('address').readOnly = !canLead;
  for (const id of ['go', 'reload']) byId(id).hidden = !canLead;
  const hint = byId('hint');
  if (hint) setWords(hint, hintWords({ ...seenOfBoth(), isStory: 'isStory' in hint.dataset }));
}

/** What both sides have come to. */
function seenOfBoth() {
  const page = screen.page();
  const isShown = pointedOut?.isConnected && pointedOut.ownerDocument === page;
  return {
    name,
    status: state.status,
    isPresent: isPresent(),
    isOffline: byId('open-pane') !== null,
    hasCome,
    awayMs: awayMs(),
    isElsewhere,
    otherAsking: state.othersAsking[0],
    isControlAsked: state.asked.length > 0,
    step: stepOf(page, isShown === true && pointedOut.closest('#terms-line') !== null),
  };
}

function actLabel() {
  if (state.control === 'other')
    return state.controller ? `Take control from ${state.controller}` : 'Take control here';
  if (canAct(state)) return 'Control';
  return state.asked.length > 0 ? `Asking ${name}…` : 'Ask for control';
}

/** Words about what just happened. They go once things have changed, or after a while. */
function say(words, ms = Number.POSITIVE_INFINITY) {
  said = { words, about: whereThingsStand(), until: Date.now() + ms };
  draw();
}

const whereThingsStand = () =>
  [isConnected, state.status, state.page === 'lost', state.url, hasPicture, state.asked.length > 0].join();

/** Words about how it is, when there's nothing newer to say. */
function standingWords(kind) {
  if (!isConnected) return 'The connection is lost. Trying again…';
  if (state.status === 'new') return 'Connecting…';
  if (state.status === 'waiting') return `Waiting for ${name}.`;
  if (state.status === 'asking') return `We asked ${name} to show the page.`;
  if (state.page === 'lost' && kind === 'bad')
    return `${name}’s page is gone. If it stays away, the session ends.`;
  if (state.asked.length > 0) return `We asked ${name} to give you control.`;
  return isLive() && state.control === 'you' ? TOOL_WORDS[tool] : '';
}

/** @param {string} chosen */
function choose(chosen) {
  tool = chosen;
  tools.close();
  say(TOOL_WORDS[chosen]);
}

function pressTool(chosen) {
  if (state.control === 'other') {
    socket.send({ t: 'control' });
    if (chosen === 'act') return;
  }
  if (chosen !== 'act' || canAct(state)) {
    choose(chosen);
    return;
  }
  if (!isLive()) {
    say(`Wait until ${name}’s page is back.`);
    return;
  }
  socket.send({ t: 'ask', access: mayAskFor });
}

function finish({ by, wentLive, seconds: total }) {
  if (isOver) return;
  isOver = true;
  const unseen = by === 'visitor-gone' && !hasCome ? `${name}’s page never opened.` : UNSEEN_WORDS[by];
  setText('ended-by', wentLive ? `${BY_WORDS[by] ?? ''} It took ${clock(total)}.` : (unseen ?? ''));
  byId('rating').hidden = !wentLive;
  for (const id of ['live', 'toolbar', 'state']) byId(id).hidden = true;
  byId('ended').hidden = false;
  byId('ended').focus();
  document.title = 'Session ended';
  if (onEnd) location.replace(onEnd);
}

const two = (number) => String(number).padStart(2, '0');

function clock(total) {
  const [hours, minutes, rest] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

async function endSession() {
  if (socket.send({ t: 'end' })) return;
  const answer = await fetch(`${base}/end`, { method: 'POST' }).catch(() => null);
  if (!answer?.ok) say('Couldn’t end the session. Press End session again.');
}

byId('end-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void endSession();
});

byId('close-tab').addEventListener('click', () => {
  window.close();
  // Browsers close only tabs that a page opened; if this one stays, say so.
  setText('close-words', 'Your browser keeps this tab open. Close it yourself.');
});

byId('address-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = byId('address').value.trim();
  const url = /^https?:\/\//iu.test(typed) ? typed : `http://${typed}`;
  socket.act({ kind: 'redirect', url });
  byId('address').blur();
});
byId('open-pane')?.addEventListener('click', ({ currentTarget }) => {
  const page = document.querySelector('.pane iframe');
  page.src = page.dataset.src;
  page.hidden = false;
  page.focus();
  currentTarget.remove();
  presentAt = Date.now();
  draw();
});
byId('reload').addEventListener('click', () => socket.act({ kind: 'reload' }));

for (const button of document.querySelectorAll('[data-tool]'))
  button.addEventListener('click', () => pressTool(button.dataset.tool));

for (const star of document.querySelectorAll('[data-rating]')) {
  star.addEventListener('click', () => {
    socket.send({ t: 'feedback', rating: Number(star.dataset.rating) });
    byId('stars').hidden = true;
    setText('rate-words', 'Thank you.');
  });
}

setInterval(() => {
  setText('timer', clock(Math.floor((Date.now() - startedAt) / 1_000)));
  draw();
}, 500);
draw();
