import { cloudPath, installationPath } from './apis.ts';
import { json, parseBody, ServiceError, type Route } from './http.ts';
import { misbehaviorBody, misbehaviors, type Mood } from './misbehavior.ts';
import { escapeHtml } from '../escape-html.ts';
import { htmlAnswer, htmlDocument } from './page/message-page.ts';

/** Where to make the stand-in misbehave. It needs no key, since it listens on this machine only. */
const path = '/stand-in/misbehave';

/** The front page, and what makes the stand-in misbehave. */
export function controlRoutes(mood: Mood, onPremise: boolean): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      run: () => htmlAnswer(200, htmlDocument('Stand-in co-browsing service', frontPage(mood, onPremise))),
    },
    { method: 'GET', path, run: () => json(200, mood.current()) },
    {
      method: 'POST',
      path,
      run(call) {
        if (call.headers['content-type'] !== 'application/json') throw new ServiceError(415, 'json_only');
        mood.set(parseBody(misbehaviorBody, call.text));
        return json(200, mood.current());
      },
    },
  ];
}

function frontPage(mood: Mood, onPremise: boolean): string {
  const rows = misbehaviors.map(
    ([body, meaning]) => `<dt><code>${escapeHtml(body)}</code></dt>\n<dd>${escapeHtml(meaning)}</dd>`,
  );
  const installation = onPremise ? 'on' : 'off, because it has no key';
  return `<body class="message">
<main class="card long">
<h1>Stand-in co-browsing service</h1>
<p>A service for trying things out and testing, with made-up visitors. Nothing leaves this machine.</p>
<ul>
<li>The cloud API is under <code>${cloudPath}</code> and asks for a key.</li>
<li>The on-premise API is under <code>${installationPath}/api</code>: ${installation}.</li>
<li>Watch links open under <code>/watch</code> and <code>${installationPath}/watch</code>.</li>
</ul>
<h2>Misbehavior</h2>
<p>Now: <code>${escapeHtml(JSON.stringify(mood.current()))}</code></p>
<p><code>POST ${path}</code> as <code>application/json</code> with one or more of these in one object changes it; <code>{}</code> resets it.</p>
<dl>
${rows.join('\n')}
</dl>
</main>
</body>`;
}
