import type { Answer } from '../http.ts';
import { escapeHtml } from '../../escape-html.ts';

/** What a page may load besides its own files. */
interface PageFreedom {
  /** It shows a visitor's page: inline styles, and pictures and fonts as data. */
  readonly isLive?: boolean;
  /** The one other site it may show in a frame: the sandbox's shop. */
  readonly framed?: string;
}

// Everything comes from this server, and nothing may embed or be embedded.
function contentSecurityPolicy({ isLive = false, framed }: PageFreedom): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${isLive ? " 'unsafe-inline'" : ''}`,
    "connect-src 'self'",
    'img-src data:',
    ...(isLive ? ['font-src data:'] : []),
    ...(framed === undefined ? [] : [`frame-src ${framed}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** One of our pages: never stored, and without a referrer for other sites. */
export function htmlAnswer(status: number, body: string, freedom: PageFreedom = {}): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(freedom),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

/** The frame of every page; `title` is text, `body` is HTML. */
export function htmlDocument(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/base.css">
${head}</head>
${body}
</html>
`;
}

/** A page with one message and what to do next. */
export function messagePage(status: number, title: string, advice: string): Answer {
  const body = `<body class="message">
<main class="card">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(advice)}</p>
</main>
</body>`;
  return htmlAnswer(status, htmlDocument(title, body));
}
