import { readFile } from 'node:fs/promises';
import type { Route } from './http.ts';
import { htmlAnswer, htmlDocument, messagePage } from './page/message-page.ts';

const index = `<body class="message">
<main class="card">
<h1>Stand-in co-browsing service</h1>
<p>A service for trials and tests, with invented visitors. Nothing leaves this machine.</p>
<ul>
<li>The REST API is under <code>/v1.3</code> and asks for a key.</li>
<li>Watch links open under <code>/watch</code>.</li>
</ul>
</main>
</body>`;

/** What is the same for everyone: the front page, the files of the watch page, the end of a proxy link. */
export async function staticRoutes(): Promise<readonly Route[]> {
  const [base, watch, script] = await Promise.all([
    readFile(new URL('./page/base.css', import.meta.url), 'utf8'),
    readFile(new URL('./page/watch.css', import.meta.url), 'utf8'),
    readFile(new URL('./page/watch.js', import.meta.url), 'utf8'),
  ]);
  return [
    {
      method: 'GET',
      path: '/',
      run: () => htmlAnswer(200, htmlDocument('Stand-in co-browsing service', index)),
    },
    { method: 'GET', path: '/assets/base.css', run: () => file('text/css', base) },
    { method: 'GET', path: '/assets/watch.css', run: () => file('text/css', watch) },
    { method: 'GET', path: '/assets/watch.js', run: () => file('text/javascript', script) },
    {
      method: 'GET',
      path: '/proxy/:token',
      run: () =>
        messagePage(200, 'Proxy session', 'Here the real service would show a site through its proxy.'),
    },
  ];
}

function file(type: string, body: string) {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers, body };
}
