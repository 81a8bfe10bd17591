import type { ServerResponse } from 'node:http';

import { escapeHtml } from '../escape-html.ts';
import type { SeedWorkspace } from './seed.ts';

/** @param leadsTo the other origin to which its form may lead */
export const sendPage = (response: ServerResponse, status: number, html: string, leadsTo = ''): void => {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // A form's redirect counts as its action.
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' ${leadsTo}; frame-ancestors 'none'`,
    // The address has the app's state.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
};

const document = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/colors.css">
<link rel="stylesheet" href="/page/consent.css">
</head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`;

/** On which somebody lets the app into their workspace. */
export const consentPage = ({
  asked,
  workspace,
  by,
  others,
}: {
  /** The fields of the request, to be sent again with the answer. */
  readonly asked: Readonly<Record<string, string>> & { readonly scope: string };
  readonly workspace: SeedWorkspace;
  readonly by: string;
  readonly others: readonly SeedWorkspace[];
}): string => {
  const fields = Object.entries({ ...asked, team: workspace.id }).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  const scopes = asked.scope
    .split(',')
    .map((scope) => `<li>${escapeHtml(scope)}</li>`)
    .join('');
  const elsewhere = others.map(({ id, name }) => {
    const query = new URLSearchParams({ ...asked, team: id }).toString();
    return `<p><a href="?${escapeHtml(query)}">Choose ${escapeHtml(name)} instead</a></p>`;
  });
  return document(
    `Co-browse wants to access ${workspace.name}`,
    `<p>You’re signed in as ${escapeHtml(by)}.</p>
${elsewhere.join('')}
<h2>What it will be able to do</h2>
<ul>${scopes}</ul>
<form method="post" action="/oauth/v2/authorize">${fields.join('')}
<button name="answer" value="cancel">Cancel</button>
<button name="answer" value="allow" class="allow">Allow</button>
</form>`,
  );
};

/** @param code Slack's */
export const wrongPage = (code: string): string =>
  document('Something went wrong', `<p>Slack can’t install this app: <code>${escapeHtml(code)}</code></p>`);
