const LAYER_CSS = `
  :host { all: initial; position: fixed; inset: 0; z-index: 2147483646; pointer-events: none; }
  svg.lines { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
  path.arrow { fill: #6b4eff; stroke: #fff; stroke-width: 1.4; }
  .lines path { fill: none; stroke: #6b4eff; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round;
    filter: drop-shadow(0 0 2px #fff); transition: opacity 1s; }
  .pointer { position: absolute; top: 0; left: 0; display: flex; align-items: flex-start; opacity: 0;
    transition: translate 90ms linear, opacity 200ms; filter: drop-shadow(0 1px 2px rgb(0 0 0 / 35%)); }
  .pointer.on { opacity: 1; }
  .pointer svg { width: 20px; height: 20px; flex: none; }
  .name { margin: 14px 0 0 -4px; padding: 3px 9px; border-radius: 99px; background: #6b4eff; color: #fff;
    font: 600 12px/1.4 system-ui, sans-serif; white-space: nowrap; max-width: 14rem; overflow: hidden;
    text-overflow: ellipsis; }
  .box { position: absolute; border: 3px solid #6b4eff; border-radius: 10px; background: rgb(107 78 255 / 10%);
    box-shadow: 0 0 0 4px rgb(107 78 255 / 22%); opacity: 0; transition: opacity 250ms; }
  .box.on { opacity: 1; animation: pulse 1.1s ease-in-out 3; }
  .ripple { position: absolute; width: 36px; height: 36px; margin: -18px; border: 3px solid #6b4eff;
    border-radius: 50%; animation: ripple 600ms ease-out forwards; }
  @keyframes pulse { 50% { box-shadow: 0 0 0 9px rgb(107 78 255 / 12%); } }
  @keyframes ripple { from { scale: 0.4; } to { scale: 1.4; opacity: 0; } }
  @media (prefers-reduced-motion: reduce) { .box.on, .ripple { animation-duration: 1ms; } .pointer { transition: none; } }
`;
const SVG = 'http://www.w3.org/2000/svg';
const [HIGHLIGHT_MS, LINE_MS] = [6_000, 5_000];

/** @typedef {ReturnType<typeof createOverlay>} Overlay */

/** Draws what the agent does over the page, without catching any presses. */
export function createOverlay() {
  const host = document.createElement('cobrowse-layer');
  host.setAttribute('aria-hidden', 'true');
  const root = host.attachShadow({ mode: 'closed' });
  root.adoptedStyleSheets = [styleSheet(LAYER_CSS)];
  const lines = document.createElementNS(SVG, 'svg');
  lines.setAttribute('class', 'lines');
  const box = element('div', 'box');
  const pointer = element('div', 'pointer');
  const arrow = document.createElementNS(SVG, 'svg');
  arrow.setAttribute('viewBox', '0 0 20 20');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', 'M2 1 L17 8.5 L10 10.8 L6.6 17.5 Z');
  shape.setAttribute('class', 'arrow');
  arrow.append(shape);
  const name = element('span', 'name');
  pointer.append(arrow, name);
  root.append(lines, box, pointer);

  /** @type {Element | null} */
  let highlighted = null;
  let highlightTimer = 0;
  const drawn = new Map();

  function placeBox() {
    if (highlighted === null) return;
    const { left, top, width, height } = highlighted.getBoundingClientRect();
    const room = 6;
    Object.assign(box.style, {
      left: `${left - room}px`,
      top: `${top - room}px`,
      width: `${width + 2 * room - 6}px`,
      height: `${height + 2 * room - 6}px`,
    });
  }
  const follow = { capture: true, passive: true };

  function endHighlight() {
    highlighted = null;
    box.classList.remove('on');
    removeEventListener('scroll', placeBox, follow);
    removeEventListener('resize', placeBox);
  }

  return {
    show: () => document.documentElement.append(host),
    hide() {
      this.wipe();
      this.hidePointer();
      host.remove();
    },
    /** @param {string} by @param {number} x @param {number} y */
    point(by, x, y) {
      name.textContent = by;
      pointer.style.translate = `${x}px ${y}px`;
      pointer.classList.add('on');
    },
    hidePointer: () => pointer.classList.remove('on'),
    /** @param {string} by @param {Element} target */
    highlight(by, target) {
      const { left, top, right, bottom } = target.getBoundingClientRect();
      if (bottom < 0 || top > innerHeight || right < 0 || left > innerWidth)
        target.scrollIntoView({ block: 'center', behavior: 'smooth' });
      highlighted = target;
      name.textContent = by;
      box.classList.remove('on');
      placeBox();
      // Restarts the animation.
      void box.offsetWidth;
      box.classList.add('on');
      addEventListener('scroll', placeBox, follow);
      addEventListener('resize', placeBox);
      clearTimeout(highlightTimer);
      highlightTimer = setTimeout(endHighlight, HIGHLIGHT_MS);
    },
    /**
     * Adds to a line, which fades a few seconds after its last point. @param {number} line @param {[number, number][]}
     * points
     */
    draw(line, points) {
      const known = drawn.get(line);
      const path = known?.path ?? document.createElementNS(SVG, 'path');
      const all = [...(known?.all ?? []), ...points].slice(-2_000);
      path.setAttribute('d', `M${all.map(([x, y]) => `${x} ${y}`).join(' L')}`);
      if (!known) lines.append(path);
      clearTimeout(known?.timer);
      const timer = setTimeout(() => {
        path.style.opacity = '0';
        setTimeout(() => path.remove(), 1_000);
        drawn.delete(line);
      }, LINE_MS);
      drawn.set(line, { path, all, timer });
    },
    wipe() {
      for (const { path, timer } of drawn.values()) {
        clearTimeout(timer);
        path.remove();
      }
      drawn.clear();
      endHighlight();
    },
    /** @param {Element} target */
    ripple(target) {
      const { left, top, width, height } = target.getBoundingClientRect();
      const ring = element('div', 'ripple');
      ring.style.left = `${left + width / 2}px`;
      ring.style.top = `${top + height / 2}px`;
      ring.addEventListener('animationend', () => ring.remove());
      root.append(ring);
    },
  };
}

/** A style sheet that a page's policy can't refuse. @param {string} css */
export function styleSheet(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** @param {string} tag @param {string} className @param {string} [text] */
export function element(tag, className, text = '') {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
