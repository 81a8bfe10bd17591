// Keeps a watch page up to date and reports what the agent does on it.
const byId = (id) => document.getElementById(id);
const { watch: base, onEnd } = document.body.dataset;
const screen = byId('screen');
const agentCursor = byId('agent-cursor');
const events = new EventSource(`${base}/stream`);
let tool = '';

events.addEventListener('view', (event) => show(JSON.parse(event.data)));
events.addEventListener('ended', finish);
events.addEventListener('error', () => say('Connection lost. Trying again…'));
events.addEventListener('open', () => say('Connected. You see what the visitor sees.'));

/** Puts a view of the visitor's page on the screen; everything foreign is set as text. */
function show(view) {
  setText('address', view.address);
  setText('page-title', view.title);
  setText('page-action', view.action);
  setText('timer', view.length);
  setText('total', view.length);
  setText('presence', view.isOnline ? 'online' : 'waiting for the visitor');
  const isOnline = String(view.isOnline);
  if (byId('presence').dataset.online !== isOnline) {
    byId('presence').dataset.online = isOnline;
    say(view.isOnline ? 'The visitor is here.' : 'The visitor left. Waiting for them to come back.');
  }
  byId('visitor-cursor').style.translate = position(view.cursor.x, view.cursor.y);
  const rows = JSON.stringify(view.rows);
  if (byId('rows').dataset.shown === rows) return;
  byId('rows').dataset.shown = rows;
  byId('rows').replaceChildren(...view.rows.map(rowElement));
}

function rowElement(texts) {
  const row = document.createElement('li');
  const cells = texts.map((text) => {
    const cell = document.createElement('span');
    cell.textContent = text;
    return cell;
  });
  row.append(...cells);
  return row;
}

function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function say(text) {
  if (byId('ended').hidden) setText('state', text);
}

/** Percent of the drawn page as a CSS translation. */
function position(x, y) {
  return `${(x / 100) * screen.clientWidth}px ${(y / 100) * screen.clientHeight}px`;
}

function finish() {
  events.close();
  if (!byId('ended').hidden) return;
  setText('state', 'Session ended. You can close this tab.');
  byId('live').hidden = true;
  byId('toolbar').hidden = true;
  byId('ended').hidden = false;
  byId('ended').focus();
  document.title = 'Session ended';
  if (onEnd) location.replace(onEnd);
}

async function endSession() {
  const answer = await fetch(`${base}/end`, { method: 'POST' }).catch(() => null);
  if (answer?.ok) finish();
  else say('The session could not be ended. Press End session again.');
}

byId('end-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void endSession();
});

byId('close-tab').addEventListener('click', () => {
  window.close();
  // Browsers close only tabs that a page opened: say so when this one stays.
  setText('state', 'Your browser keeps this tab open. Close it yourself.');
});

for (const button of document.querySelectorAll('[data-tool]')) {
  button.addEventListener('click', () => void chooseTool(button));
}

async function chooseTool(button) {
  tool = button.dataset.tool;
  for (const other of document.querySelectorAll('[data-tool]')) {
    other.setAttribute('aria-pressed', String(other === button));
  }
  agentCursor.hidden = tool !== 'remote_cursor';
  if (tool === 'scroll') screen.scrollBy({ top: 120, behavior: 'smooth' });
  const answer = await fetch(`${base}/tool`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool }),
  }).catch(() => null);
  say(answer?.ok ? `${button.textContent} is on; the visitor sees it.` : 'The tool could not be used.');
}

screen.addEventListener('pointermove', (event) => {
  if (tool !== 'remote_cursor') return;
  const box = screen.getBoundingClientRect();
  agentCursor.style.translate = `${event.clientX - box.left}px ${event.clientY - box.top}px`;
});

screen.addEventListener('click', (event) => {
  if (tool !== 'click') return;
  const box = screen.getBoundingClientRect();
  const ring = document.createElement('span');
  ring.className = 'ring';
  ring.style.translate = `${event.clientX - box.left}px ${event.clientY - box.top}px`;
  ring.addEventListener('animationend', () => ring.remove());
  screen.append(ring);
});
