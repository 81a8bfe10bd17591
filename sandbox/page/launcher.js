import { html, nothing } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';
import { runGlobalShortcut } from './actions.js';
import { icon } from './icon.js';
import { placeBeside } from './menu.js';

/**
 * The composer's menu of global shortcuts, with a search above it.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function launcher(page, channel) {
  if (page.snapshot.global_shortcuts.length === 0) return nothing;
  return html`<button
      type="button"
      class="icon-button"
      aria-label="Shortcuts"
      title="Shortcuts"
      aria-haspopup="dialog"
      popovertarget="launcher"
    >
      ${icon('lightning')}
    </button>
    <div
      id="launcher"
      class="menu launcher"
      popover="auto"
      role="dialog"
      aria-label="Shortcuts"
      @toggle=${(event) => onToggle(event, page)}
    >
      ${search(page, channel)} ${list(page, channel)}
    </div>`;
}

/** @param {import('./page.js').Page} page */
function found({ snapshot, launcher: { query } }) {
  const wanted = query.trim().toLowerCase();
  return snapshot.global_shortcuts.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function search(page, channel) {
  const shortcuts = found(page);
  const { query } = page.launcher;
  const active = Math.min(page.launcher.active, shortcuts.length - 1);
  const onKeyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shortcuts.length > 0) {
      event.preventDefault();
      const next = (active + step + shortcuts.length) % shortcuts.length;
      page.set({ launcher: { query, active: next } });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (shortcuts[active] !== undefined) run(page, shortcuts[active], channel);
    }
  };
  return html`<input
    class="field launcher-search"
    type="text"
    role="combobox"
    aria-label="Search shortcuts"
    placeholder="Search shortcuts"
    autocomplete="off"
    aria-autocomplete="list"
    aria-expanded="true"
    aria-controls="launcher-list"
    aria-activedescendant=${ifDefined(active === -1 ? undefined : `launcher-${active}`)}
    .value=${live(query)}
    @input=${(event) => page.set({ launcher: { query: event.target.value, active: 0 } })}
    @keydown=${onKeyDown}
  />`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function list(page, channel) {
  const shortcuts = found(page);
  const active = Math.min(page.launcher.active, shortcuts.length - 1);
  const options = shortcuts.map(
    (shortcut, index) =>
      html`<li
        role="option"
        id="launcher-${index}"
        aria-selected=${index === active ? 'true' : 'false'}
        @mousedown=${(event) => event.preventDefault()}
        @click=${() => run(page, shortcut, channel)}
      >
        <span>${shortcut.name}</span> <small>${shortcut.description}</small>
      </li>`,
  );
  return html`<ul id="launcher-list" class="options" role="listbox" aria-label="Shortcuts">
      ${options}
    </ul>
    <p class="options-note" role="status">
      ${shortcuts.length === 0 ? 'No shortcut of that name.' : nothing}
    </p>`;
}

/** @param {import('./page.js').Page} page @param {{ callback_id: string }} shortcut @param {import('../slack/page-api.ts').PageChannel} channel */
function run(page, shortcut, channel) {
  document.querySelector('#launcher').hidePopover();
  void runGlobalShortcut(page, shortcut.callback_id, channel.id);
}

/** @param {ToggleEvent} event @param {import('./page.js').Page} page */
function onToggle(event, page) {
  const popover = event.currentTarget;
  popover.style.visibility = event.newState === 'open' ? 'visible' : '';
  if (event.newState !== 'open') return;
  page.set({ launcher: { query: '', active: 0 } });
  placeBeside(popover, popover.previousElementSibling.getBoundingClientRect());
  popover.querySelector('input').focus();
}
