import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { blocks } from './blocks.js';

const TABS = [
  ['home', 'Home'],
  ['messages', 'Messages'],
];

/**
 * The tabs of the app's Home.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function appTabs(page, channel) {
  const open = (tab) => page.set({ tab, alert: '' });
  const onKeyDown = (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    open(page.tab === 'home' ? 'messages' : 'home');
    event.currentTarget.querySelector('[aria-selected=true]').focus();
  };
  return html`<div class="app-tabs" role="tablist" aria-label=${channel.name} @keydown=${onKeyDown}>
    ${TABS.map(([tab, words]) => {
      const selected = tab === page.tab;
      return html`<button
        type="button"
        role="tab"
        id="tab-${tab}"
        aria-controls=${ifDefined(selected ? `panel-${tab}` : undefined)}
        aria-selected=${selected ? 'true' : 'false'}
        tabindex=${selected ? '0' : '-1'}
        @click=${() => open(tab)}
      >
        ${words}
      </button>`;
    })}
  </div>`;
}

/**
 * What the app has published for this person.
 * @param {import('./page.js').Page} page
 */
export function appHome(page) {
  const { view } = page.snapshot.home;
  const alert = page.snapshot.views.length === 0 ? page.alert : '';
  return html`<div class="app-home" id="panel-home" role="tabpanel" aria-labelledby="tab-home" tabindex="0">
    <p class="alert" role="alert" ?hidden=${alert === ''}>${alert}</p>
    ${
      view === undefined
        ? html`<p class="empty" role="status">The app has not put anything here yet.</p>`
        : blocks({
            page,
            source: { type: 'view', view_id: view.id },
            blocks: view.blocks,
            errors: {},
            isHome: true,
          })
    }
  </div>`;
}
