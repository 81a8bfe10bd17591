import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';

const GAP_PX = 6;

/**
 * A button that opens a short menu. The browser's popover closes it on Escape or a click outside and restores the
 * focus; arrow keys, Home and End move inside.
 *
 * @param {{ id: string, label: string, face: unknown, className: string, items: MenuItem[], busy?: boolean, isWorded?:
 *   boolean }} menu `isWorded`: the face has the same text as the label, so the button needs no other name
 * @typedef {{ label: string, note?: string, url?: string, sameTab?: boolean, run?: () => void }} MenuItem
 */
export function menu({ id, label, face, className, items, busy = false, isWorded = false }) {
  return html`<button
      type="button"
      class=${className}
      aria-label=${ifDefined(isWorded ? undefined : label)}
      title=${label}
      aria-haspopup="menu"
      aria-busy=${busy ? 'true' : 'false'}
      popovertarget=${id}
    >
      ${face}
    </button>
    <div
      id=${id}
      class="menu"
      popover="auto"
      role="menu"
      aria-label=${label}
      @toggle=${onToggle}
      @keydown=${onKeyDown}
    >
      ${items.map(drawItem)}
    </div>`;
}

/** @param {MenuItem} item */
function drawItem({ label, note = '', url, sameTab = false, run }) {
  const words = html`<span>${label}</span>${note === '' ? '' : html` <small>${note}</small>`}`;
  const choose = (event) => {
    event.currentTarget.closest('[popover]').hidePopover();
    run?.();
  };
  if (url !== undefined) {
    const target = sameTab ? '_self' : '_blank';
    return html`<a
      role="menuitem"
      tabindex="-1"
      href=${url}
      target=${target}
      rel="noopener noreferrer"
      @click=${choose}
      >${words}</a
    >`;
  }
  return html`<button type="button" role="menuitem" tabindex="-1" @click=${choose}>${words}</button>`;
}

/** @param {ToggleEvent} event */
function onToggle(event) {
  const popover = event.currentTarget;
  popover.style.visibility = event.newState === 'open' ? 'visible' : '';
  if (event.newState !== 'open') return;
  placeBeside(popover, popover.previousElementSibling.getBoundingClientRect());
  popover.querySelector('[role=menuitem]')?.focus();
}

/**
 * Below the button and inside the window; above it if there's no room. @param {HTMLElement} popover @param {DOMRect}
 * button
 */
export function placeBeside(popover, button) {
  const { width, height } = popover.getBoundingClientRect();
  const below = button.bottom + GAP_PX;
  const top = below + height > window.innerHeight ? button.top - GAP_PX - height : below;
  const left = Math.min(button.left, window.innerWidth - width - GAP_PX);
  popover.style.top = `${Math.max(GAP_PX, top)}px`;
  popover.style.left = `${Math.max(GAP_PX, left)}px`;
}

/** @param {KeyboardEvent} event */
function onKeyDown(event) {
  const items = [...event.currentTarget.querySelectorAll('[role=menuitem]')];
  const at = items.indexOf(document.activeElement);
  const next = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}
