import { html } from './vendor/lit-html/lit-html.js';
import { keyed } from './vendor/lit-html/directives/keyed.js';

const FIELDS = 'input, select, textarea';

/** Where the focus was before the first layer opened. @type {Element | null} */
let returnTo = null;

/**
 * A modal layer: the browser's dialog keeps the focus inside and makes the rest of the page inert.
 * @param {{ id: string, title: string, className: string, content: unknown, onClose: () => void }} layer
 */
export function dialog({ id, title, className, content, onClose }) {
  const close = (event) => {
    event.preventDefault();
    onClose();
  };
  const onKeyDown = (event) => {
    const isMenuOpen = event.currentTarget.querySelector(':popover-open') !== null;
    if (event.key === 'Escape' && !isMenuOpen) close(event);
  };
  return keyed(
    id,
    html`<dialog class=${className} tabindex="-1" aria-label=${title} @cancel=${close} @keydown=${onKeyDown}>
      ${content}
    </dialog>`,
  );
}

/**
 * Call it after every drawing. Opens new layers, focuses the first field as soon as there is one (a modal often starts
 * with "loading"), and restores the focus when the last layer is gone.
 */
export function settleDialogs() {
  const dialogs = [...document.querySelectorAll('dialog')];
  for (const element of dialogs.filter(({ open }) => !open)) {
    returnTo ??= document.activeElement;
    element.showModal();
    element.focus();
  }
  const top = dialogs.at(-1);
  if (top !== undefined && document.activeElement === top) top.querySelector(FIELDS)?.focus();
  if (top === undefined && returnTo !== null) {
    returnTo.focus();
    returnTo = null;
  }
}
