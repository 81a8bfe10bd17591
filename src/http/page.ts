import { createHash } from 'node:crypto';
import { plain, type Route } from './server.ts';

/** What a page tells a person: plain text, escaped here. */
export interface PageWords {
  readonly title: string;
  readonly text: string;
  readonly next?: string;
  /** A link to follow; `to` is relative to the page's address, or opens another app. */
  readonly link?: { readonly text: string; readonly to: string };
  /** A button that posts to the page's address, or to `action`, relative to it. */
  readonly form?: {
    readonly action?: string;
    readonly button: string;
    /** Where it may lead, including a redirect afterwards, as a Content-Security-Policy source. */
    readonly leadsTo: string;
  };
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1d1c1d;--soft:#57606a;--paper:#f6f7f8;--card:#fff;--edge:#d8dee4;--mark:#1b6e4a}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a8b1bb;--paper:#15181b;--card:#1f2327;--edge:#343b42;--mark:#57c492}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);
font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:min(34rem,100%);padding:2rem 2.25rem;overflow-wrap:anywhere;background:var(--card);border:1px solid var(--edge);border-top:.3rem solid var(--mark);border-radius:.6rem}
h1{margin:0 0 .75rem;font-size:1.45rem;line-height:1.25}
p{margin:0 0 .75rem}p:last-child{margin-bottom:0}
.next{color:var(--soft)}
a{color:inherit}
button{font:inherit;padding:.55rem 1.1rem;border:1px solid var(--mark);border-radius:.4rem;background:var(--mark);color:var(--card);cursor:pointer}
button:focus-visible,a:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
@media (max-width:30rem){body{padding:.75rem}main{padding:1.25rem}}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const policy = (formAction: string) =>
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const linkOf = ({ text, to }: NonNullable<PageWords['link']>) =>
  `<p><a href="${escapeHtml(to)}">${escapeHtml(text)}</a></p>`;

function formOf({ action, button }: NonNullable<PageWords['form']>): string {
  const to = action === undefined ? '' : ` action="${escapeHtml(action)}"`;
  return `<form method="post"${to}><button type="submit">${escapeHtml(button)}</button></form>`;
}

/** A page without scripts or other resources; works in dark mode and with a screen reader. */
export function page(status: number, words: PageWords, headers: Readonly<Record<string, string>> = {}) {
  const title = escapeHtml(words.title);
  const next = words.next === undefined ? '' : `<p class="next">${escapeHtml(words.next)}</p>`;
  const link = words.link === undefined ? '' : linkOf(words.link);
  const form = words.form === undefined ? '' : formOf(words.form);
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy(words.form?.leadsTo ?? "'none'"),
      ...headers,
    },
    body:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
      `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">` +
      `<style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${escapeHtml(words.text)}</p>${next}${link}${form}</main></body></html>`,
  };
}

/** Pictures that digests of earlier versions point at. The changelog promises the answer for one release. */
export const goneCharts: Route = {
  method: 'GET',
  path: '/charts/:ticket',
  handle: () => plain(410, 'There are no pictures of numbers any more: Slack draws the charts.'),
};
