import { displayName } from '../visitor.ts';
import type { Visitor } from '../visitor.ts';
import { grantedTools, isToolAllowed } from '../watch-links.ts';
import type { WatchLink } from '../watch-links.ts';
import type { WatchView } from '../watch-view.ts';
import { escapeHtml } from './escape-html.ts';
import { htmlDocument } from './message-page.ts';

const head = `<link rel="stylesheet" href="/assets/watch.css">
<script type="module" src="/assets/watch.js"></script>
`;

/** The page of a running session, complete before its script runs; visitor text is escaped. */
export function watchPage(page: { link: WatchLink; visitor: Visitor; view: WatchView }): string {
  const { link, visitor, view } = page;
  const name = displayName(visitor);
  const { naked = false, on_end_url } = link.body.branding ?? {};
  const body = `<body data-watch="${escapeHtml(link.path)}"
 data-on-end="${escapeHtml(on_end_url ?? '')}" data-naked="${naked}">
${toolbar(link, name, view)}
<p id="state" class="state" role="status" aria-live="polite">Session started. You see what ${bidi(name)} sees.</p>
<noscript><p class="state">This page needs JavaScript to stay up to date; End session works without it.</p></noscript>
<main id="live" class="live">
${browserWindow(view)}
${details(link, visitor)}
</main>
<section id="ended" class="card" tabindex="-1" hidden>
<h1>Session ended</h1>
<p>You can close this tab. The session took <span id="total">${view.length}</span>.</p>
<button type="button" id="close-tab">Close this tab</button>
</section>
</body>`;
  return htmlDocument(`Watching ${name}`, body, head);
}

function toolbar(link: WatchLink, name: string, view: WatchView): string {
  const tool = (id: string, label: string) => {
    const disabled = isToolAllowed(link, id) ? '' : ' disabled';
    return `<button type="button" data-tool="${id}" aria-pressed="false"${disabled}>${label}</button>`;
  };
  return `<header id="toolbar" class="toolbar">
<p class="brand">Stand-in co-browsing</p>
<h1>Watching ${bidi(name)}</h1>
<p id="presence" class="presence" data-online="${view.isOnline}">${view.isOnline ? 'online' : 'waiting for the visitor'}</p>
<p class="timer"><span class="unseen">Session time </span><span id="timer">${view.length}</span></p>
<div class="tools" role="group" aria-label="Tools">
${tool('remote_cursor', 'Pointer')}
${tool('click', 'Click')}
${tool('scroll', 'Scroll')}
</div>
<form id="end-form" method="post" action="${escapeHtml(link.path)}/end">
<button type="submit" class="end">End session</button>
</form>
</header>`;
}

function browserWindow(view: WatchView): string {
  const rows = view.rows.map(
    ([label, detail]) => `<li><span>${escapeHtml(label)}</span><span>${escapeHtml(detail)}</span></li>`,
  );
  return `<section class="window" aria-label="The visitor's screen">
<div class="chrome"><span class="lights" aria-hidden="true"></span><p id="address" class="address">${escapeHtml(view.address)}</p></div>
<div id="screen" class="screen" role="group" aria-label="Drawn page" tabindex="0">
<p class="shop" aria-hidden="true">Acme Shop</p>
<h2 id="page-title">${escapeHtml(view.title)}</h2>
<ul id="rows" class="rows">${rows.join('')}</ul>
<p id="page-action" class="action">${escapeHtml(view.action)}</p>
<span id="visitor-cursor" class="cursor" aria-hidden="true"></span>
<span id="agent-cursor" class="cursor agent" aria-hidden="true" hidden></span>
</div>
</section>`;
}

function details(link: WatchLink, visitor: Visitor): string {
  const { email, location_city, location_country_name, browser_name, device_name, tags } = visitor.fields;
  return `<aside class="details" aria-label="About this session">
<dl>
${row('Email', email ?? 'unknown')}
${row('Place', together(location_city, location_country_name))}
${row('Device', together(browser_name, device_name))}
${row('Tags', together(...tags))}
${row('Agent', link.body.agent.name)}
${row('May', grantedTools(link).join(', ').replaceAll('_', ' ') || 'only look and point')}
${row('Viewer', link.body.viewer?.name ?? link.body.agent.name)}
</dl>
<label for="notes">Notes, kept in this tab only</label>
<textarea id="notes" rows="5">${escapeHtml(link.body.initial_notes ?? '')}</textarea>
</aside>`;
}

// Isolated, so that text of another reading direction cannot reorder what stands around it.
function bidi(value: string): string {
  return `<bdi>${escapeHtml(value)}</bdi>`;
}

function row(term: string, value: string): string {
  return `<dt>${term}</dt><dd>${bidi(value)}</dd>`;
}

function together(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(', ') || 'unknown';
}
