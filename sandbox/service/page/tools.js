import { createFieldEditor } from './field-editor.js';

/** How far an arrow key moves the pointer; with Shift four times as far. */
const KEY_PX = 10;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const [POINTER_MS, LINE_MS, SCROLL_MS] = [40, 60, 60];

/** Calls immediately, then no more often than this; the last call is always made. */
function seldom(ms, run) {
  let [timer, latest] = [0, null];
  const go = () => {
    timer = 0;
    if (latest === null) return;
    const args = latest;
    latest = null;
    run(...args);
    timer = setTimeout(go, ms);
  };
  return (...args) => {
    latest = args;
    if (timer === 0) go();
  };
}

/** As long as the visitor sees it. */
export const HIGHLIGHT_MS = 6_000;

/**
 * The agent's tools on the picture of the visitor's page.
 *
 * @param {HTMLElement} surface
 * @param {ReturnType<typeof import('./screen.js').createScreen>} screen
 * @param {{ act: (act: object) => number, tool: () => string, access: () => readonly string[], canPoint: () => boolean,
 *   onHighlight: (target: Element) => void }} around `onHighlight`: the visitor sees a frame around it
 */
export function createTools(surface, screen, { act, tool, access, canPoint, onHighlight }) {
  const editor = createFieldEditor(surface, screen, act);
  /** @type {{ line: number, points: [number, number][] } | null} */
  let stroke = null;
  let lastLine = 0;
  /** The agent's own line is drawn here too, so that it shows immediately. */
  const ink = createInk(surface);
  const keys = createKeyPointer(surface);
  const frame = createFrame(surface, screen);
  /** What the visitor's page was last asked to highlight. @type {{ id: number, target: Element } | null} */
  let asked = null;

  const point = seldom(POINTER_MS, (x, y) => act({ kind: 'pointer', x, y }));
  const sendLine = seldom(LINE_MS, () => {
    if (stroke === null || stroke.points.length === 0) return;
    act({ kind: 'draw', line: stroke.line, points: stroke.points });
    stroke.points = stroke.points.slice(-1);
  });
  const scroll = seldom(SCROLL_MS, (node, x, y) => act({ kind: 'scroll', node, x, y }));

  function placeOf(event) {
    return canPoint() ? screen.toPage(event.clientX, event.clientY) : null;
  }

  surface.addEventListener('pointermove', (event) => {
    const place = placeOf(event);
    if (place === null) return;
    point(place.x, place.y);
    if (stroke === null) return;
    stroke.points.push([place.x, place.y]);
    ink.add(event.clientX, event.clientY);
    sendLine();
  });
  surface.addEventListener('pointerleave', () => canPoint() && act({ kind: 'pointer-off' }));
  surface.addEventListener('pointerdown', (event) => {
    const place = placeOf(event);
    if (place === null || tool() !== 'draw' || event.target !== surface) return;
    event.preventDefault();
    surface.setPointerCapture(event.pointerId);
    stroke = { line: (lastLine += 1), points: [[place.x, place.y]] };
    ink.begin(event.clientX, event.clientY);
  });
  surface.addEventListener('pointerup', () => {
    if (stroke === null) return;
    act({ kind: 'draw', line: stroke.line, points: stroke.points });
    stroke = null;
    ink.end();
  });
  surface.addEventListener('click', (event) => {
    const place = placeOf(event);
    if (place !== null && event.target === surface && tool() !== 'draw') press(place);
  });
  surface.addEventListener('keydown', (event) => {
    if (event.target !== surface || !canPoint()) return;
    const by = STEPS[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    const px = event.shiftKey ? KEY_PX * 4 : KEY_PX;
    const { left, top } = surface.getBoundingClientRect();
    const [x, y] = keys.move((by?.[0] ?? 0) * px, (by?.[1] ?? 0) * px);
    const place = screen.toPage(left + x, top + y);
    if (place === null) return;
    if (by !== undefined) point(place.x, place.y);
    else press(place);
  });
  surface.addEventListener('blur', () => keys.hide());

  function press(place) {
    const element = screen.elementAt(place);
    const node = element && screen.idOf(element);
    if (element === null || node === null) return;
    if (tool() === 'act') actOn(element, node);
    else highlight(element, node);
  }

  surface.addEventListener(
    'wheel',
    (event) => {
      const place = placeOf(event);
      if (place === null || tool() !== 'act' || !access().includes('scroll')) return;
      event.preventDefault();
      const { node, x, y } = scrolled(place, event.deltaX, event.deltaY);
      scroll(node, x, y);
    },
    { passive: false },
  );

  function highlight(element, node) {
    // The box alone is small, so point at its whole label.
    const target = element.closest('label') ?? element;
    asked = { id: act({ kind: 'highlight', node: screen.idOf(target) ?? node }), target };
  }

  function actOn(element, node) {
    const field =
      element.closest('label')?.control ?? element.closest('input, textarea, select, [contenteditable]');
    const isShown = field?.hasAttribute('data-cobrowse-show') === true;
    const id = field && screen.idOf(field);
    if (field?.tagName === 'SELECT' && isShown && id) return editor.choose(field, id);
    const isText = field?.matches(
      'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea',
    );
    if (isText && isShown && id) return editor.type(field, id);
    act({ kind: 'click', node });
  }

  /** What would scroll at a place, and how far it would be. */
  function scrolled(place, deltaX, deltaY) {
    const page = screen.page();
    const root = page.scrollingElement ?? page.documentElement;
    for (let at = screen.elementAt(place); at !== null && at !== root; at = at.parentElement) {
      const { overflowY } = page.defaultView.getComputedStyle(at);
      if (!/auto|scroll/u.test(overflowY) || at.scrollHeight <= at.clientHeight) continue;
      return { node: screen.idOf(at), x: at.scrollLeft + deltaX, y: at.scrollTop + deltaY };
    }
    const [x, y] = [page.defaultView.scrollX + deltaX, page.defaultView.scrollY + deltaY];
    return { node: null, x: Math.max(0, x), y: Math.max(0, y) };
  }

  return {
    close: editor.close,
    /** The visitor's page has done what it was asked for. @param {number} id */
    done(id) {
      if (asked?.id !== id) return;
      frame.show(asked.target);
      onHighlight(asked.target);
    },
  };
}

/** Shows the agent what the visitor sees highlighted. */
function createFrame(surface, screen) {
  const box = document.createElement('span');
  box.className = 'highlight';
  box.hidden = true;
  surface.append(box);
  /** @type {{ target: Element, until: number } | null} */
  let shown = null;

  function follow() {
    const isThere = shown?.target.isConnected && shown.target.ownerDocument === screen.page();
    if (!isThere || performance.now() > shown.until) {
      [shown, box.hidden] = [null, true];
      return;
    }
    const { left, top, width, height } = screen.boxOf(shown.target);
    const place = { left, top, width, height };
    for (const [name, px] of Object.entries(place)) box.style.setProperty(name, `${px}px`);
    requestAnimationFrame(follow);
  }

  return {
    /** @param {Element} target */
    show(target) {
      const isFollowing = shown !== null;
      shown = { target, until: performance.now() + HIGHLIGHT_MS };
      box.hidden = false;
      if (!isFollowing) follow();
    },
  };
}

/** A pointer for people without a mouse: arrow keys move it, Enter presses. It starts in the middle. */
function createKeyPointer(surface) {
  const mark = document.createElement('span');
  mark.className = 'key-pointer';
  mark.hidden = true;
  surface.append(mark);
  let [x, y] = [-1, -1];
  return {
    move(right, down) {
      const { clientWidth, clientHeight } = surface;
      if (x < 0) [x, y] = [clientWidth / 2, clientHeight / 2];
      x = Math.min(Math.max(x + right, 0), clientWidth - 1);
      y = Math.min(Math.max(y + down, 0), clientHeight - 1);
      mark.hidden = false;
      mark.style.translate = `${x}px ${y}px`;
      return [x, y];
    },
    hide: () => (mark.hidden = true),
  };
}

function createInk(surface) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'ink');
  svg.setAttribute('aria-hidden', 'true');
  surface.append(svg);
  let [path, points] = [null, ''];
  const placeOf = (x, y) => {
    const { left, top } = surface.getBoundingClientRect();
    return `${Math.round(x - left)} ${Math.round(y - top)}`;
  };
  return {
    begin(x, y) {
      path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      points = `M${placeOf(x, y)}`;
      path.setAttribute('d', points);
      svg.append(path);
    },
    add(x, y) {
      points += ` L${placeOf(x, y)}`;
      path?.setAttribute('d', points);
    },
    end() {
      const old = path;
      setTimeout(() => old?.remove(), 5_000);
      path = null;
    },
  };
}
