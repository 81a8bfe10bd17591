import { escapeHtml } from '../escape-html.ts';
import { htmlDocument } from '../service/page/message-page.ts';
import { parseJson } from '../slack/http-exchange.ts';
import type { Arrived } from './receiver.ts';

/** As people read JSON; anything else as it is. */
function pretty(body: string): string {
  const parsed = parseJson(body);
  return parsed === undefined ? body : JSON.stringify(parsed, undefined, 2);
}

function typeOf(body: string): string {
  const parsed = parseJson(body);
  const type: unknown =
    typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'type') : undefined;
  return typeof type === 'string' ? type : 'no JSON';
}

const oneArrived = ({ at, id, isVerified, body, answered }: Arrived) => `<li>
<h2>${escapeHtml(typeOf(body))}</h2>
<p><span class="${isVerified ? 'verified' : 'unverified'}">${isVerified ? 'Verified' : 'Not verified'}</span>
 · <time datetime="${new Date(at).toISOString()}">${new Date(at).toISOString().slice(11, 19)} UTC</time>
 · answered ${answered}${id === '' ? '' : ` · <code>${escapeHtml(id)}</code>`}</p>
<pre>${escapeHtml(pretty(body))}</pre>
</li>`;

/** The webhooks as a list, newest first. */
export const arrivedHtml = (arrived: readonly Arrived[]): string =>
  arrived.length === 0
    ? '<p>Nothing has arrived yet. In Slack, press Watch, or as Ada, an admin, press Webhooks and Send a test in the app’s Home.</p>'
    : `<ol>${arrived.map(oneArrived).join('')}</ol>`;

const STATUS_WORDS: ReadonlyMap<number, string> = new Map([
  [200, 'thank you'],
  [500, 'not now'],
  [410, 'gone for good'],
]);

export function receiverPage({
  arrived,
  address,
  status,
  statuses,
}: {
  readonly arrived: readonly Arrived[];
  readonly address: string;
  readonly status: number;
  readonly statuses: readonly number[];
}): string {
  const options = statuses.map(
    (one) =>
      `<option value="${one}"${one === status ? ' selected' : ''}>${one}, ${STATUS_WORDS.get(one) ?? ''}</option>`,
  );
  const body = `<body>
<main class="receiver">
<h1>Webhooks that arrived</h1>
<p>A stand-in for your helpdesk or program. It gets what is sent to <code>${escapeHtml(address)}</code>, and below it.</p>
<form method="post" action="/">
<label>Answer with <select name="status">${options.join('')}</select></label>
<label>Another signing secret <input name="secret" placeholder="whsec_…" autocomplete="off"></label>
<button>Save</button>
</form>
<section id="arrived" aria-live="polite">${arrivedHtml(arrived)}</section>
</main>
<script type="module" src="/assets/receiver.js"></script>
</body>`;
  return htmlDocument('Webhooks that arrived', body, '<link rel="stylesheet" href="/assets/receiver.css">\n');
}
