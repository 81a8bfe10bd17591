import { capability, grantedBy } from '../live/access.ts';
import { bareAddress } from '../live/clean-event.js';
import type { SessionRecord } from '../session.ts';
import { formatSeconds, secondsBetween } from '../time.ts';
import { callName, displayName, type Visitor } from '../visitor.ts';
import { grantedTools, type WatchLink } from '../watch-links.ts';
import { escapeHtml } from '../../escape-html.ts';
import { htmlDocument } from './message-page.ts';

const head = `<link rel="stylesheet" href="/assets/vendor/replay.css">
<link rel="stylesheet" href="/assets/watch.css">
<link rel="stylesheet" href="/assets/screen.css">
<script type="module" src="/assets/watch.js"></script>
`;

export interface WatchPage {
  readonly link: WatchLink;
  readonly visitor: Visitor;
  readonly session: SessionRecord;
  /** The visitor's page, if the sandbox shows both sides. */
  readonly pane: Pane | undefined;
  readonly now: Date;
}

interface Pane {
  readonly address: string;
  /** The visitor plays their part by themselves. */
  readonly isStory: boolean;
  /** The visitor is online, so their page opens by itself. */
  readonly isOpen: boolean;
}

/** The page of a running session; visitor text is escaped. */
export function watchPage(page: WatchPage): string {
  const { link, visitor, session, now } = page;
  const name = displayName(visitor);
  const { naked = false, on_end_url } = link.body.branding ?? {};
  const seconds = secondsBetween(session.startedAt, now);
  const called = callName(visitor);
  const body = `<body data-watch="${escapeHtml(link.path)}" data-name="${escapeHtml(called)}"
 data-seconds="${seconds}" data-granted="${grantedBy(link).join(' ')}"
 data-on-end="${escapeHtml(on_end_url ?? '')}" data-naked="${naked}">
${toolbar(link, name, seconds)}
<p id="state" class="state" role="status">Connecting…</p>
<noscript><p class="state">The live view needs JavaScript; End session works without it.</p></noscript>
<main>
<div id="live" class="live"${page.pane === undefined ? '' : ' data-pane'}>
${screen(name, visitor)}
${page.pane === undefined ? '' : pane(called, page.pane)}
${details(link, visitor)}
</div>
${ended()}
</main>
</body>`;
  return htmlDocument(`${name} · Live view`, body, head);
}

/** Disabled until there is something to use it on, and for good if the link doesn't grant it. */
function tool(id: string, label: string, isGranted: boolean): string {
  const granted = isGranted ? ' data-is-granted' : '';
  return `<button type="button" data-tool="${id}" aria-pressed="false" disabled${granted}>${label}</button>`;
}

function toolbar(link: WatchLink, name: string, seconds: number): string {
  const granted = grantedBy(link);
  const canAct = capability.options.some((one) => one !== 'draw' && granted.includes(one));
  return `<header id="toolbar" class="toolbar">
<p class="brand">Stand-in co-browsing</p>
<h1>${bidi(name)}</h1>
<p id="health" class="health" data-health="waiting">Connecting…</p>
<div class="tools" role="group" aria-label="Tools">
${tool('pointer', 'Pointer', true)}
${tool('draw', 'Draw', granted.includes('draw'))}
${tool('act', 'Ask for control', canAct)}
</div>
<p class="timer"><span class="unseen">Session time </span><span id="timer">${formatSeconds(seconds)}</span></p>
<form id="end-form" method="post" action="${escapeHtml(link.path)}/end">
<button type="submit" class="end">End session</button>
</form>
</header>`;
}

function screen(name: string, visitor: Visitor): string {
  const address = bareAddress(visitor.lastUrl ?? '').replace(/^https?:\/\//u, '');
  return `<section class="window" aria-label="The visitor’s screen">
<form id="address-form" class="chrome">
<span class="lights" aria-hidden="true"></span>
<label for="address" class="unseen">Address of the visitor’s page</label>
<input id="address" class="address" value="${escapeHtml(address || 'unknown page')}" readonly spellcheck="false">
<button type="submit" id="go" hidden>Go</button>
<button type="button" id="reload" hidden>Reload</button>
</form>
<div id="screen" class="screen" data-cover="waiting">
<div id="stage" class="stage"></div>
<div id="surface" class="surface" role="group" tabindex="0" aria-label="${escapeHtml(name)}’s page. Arrow keys move the pointer, Enter presses."></div>
<div id="cover" class="cover"><p id="cover-words">Connecting…</p></div>
</div>
</section>`;
}

function pane(name: string, { address, isStory, isOpen }: Pane): string {
  const to = escapeHtml(address);
  return `<section class="window pane" aria-label="The visitor’s side">
<div class="chrome"><p class="side"><strong>${bidi(name)}’s own browser</strong> only in the sandbox, to see both sides</p></div>
<p id="hint" class="hint"${isStory ? ' data-is-story' : ''}></p>
${isOpen ? '' : `<button type="button" id="open-pane">Open ${bidi(name)}’s page</button>`}
<iframe title="The visitor’s own browser" ${isOpen ? 'src' : 'hidden data-src'}="${to}"></iframe>
</section>`;
}

function details(link: WatchLink, visitor: Visitor): string {
  const { email, location_city, location_country_name, browser_name, device_name, tags } = visitor.fields;
  const access = grantedTools(link).join(', ').replace('agent_redirect', 'redirect') || 'view and point only';
  return `<details class="details">
<summary>About ${bidi(displayName(visitor))} and this session</summary>
<dl>
${row('Email', email ?? 'unknown')}
${row('Place', together(location_city, location_country_name))}
${row('Device', together(browser_name, device_name))}
${row('Tags', together(...tags))}
${row('Agent', link.body.agent.name)}
${row('Access', access)}
${row('Viewer', link.body.viewer?.name ?? link.body.agent.name)}
</dl>
<div class="notes">
<label for="notes">Notes, kept in this tab only</label>
<textarea id="notes" rows="2">${escapeHtml(link.body.initial_notes ?? '')}</textarea>
</div>
</details>`;
}

function ended(): string {
  const stars = [1, 2, 3, 4, 5].map(
    (rating) =>
      `<button type="button" data-rating="${rating}" aria-label="${rating} of 5">${rating}</button>`,
  );
  return `<section id="ended" class="card" tabindex="-1" aria-labelledby="ended-title" hidden>
<h1 id="ended-title">Session ended</h1>
<p id="ended-by"></p>
<div id="rating">
<p id="rate-words">How well did it work? 5 is best.</p>
<div id="stars" class="stars" role="group" aria-label="Your rating">${stars.join('')}</div>
</div>
<button type="button" id="close-tab">Close this tab</button>
<p id="close-words" role="status"></p>
</section>`;
}

// Isolated, so that right-to-left text can't reorder what is around it.
function bidi(value: string): string {
  return `<bdi>${escapeHtml(value)}</bdi>`;
}

function row(term: string, value: string): string {
  return `<div><dt>${term}</dt><dd>${bidi(value)}</dd></div>`;
}

function together(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(', ') || 'unknown';
}
