import { type Answer, type Route, json } from './http.ts';
import type { Recordings } from './live/recordings.ts';
import { htmlAnswer, htmlDocument, messagePage } from './page/message-page.ts';

/** The pages that play recordings. Whoever has the address can see it: it can't be guessed. */
export function recordingRoutes(recordings: Recordings): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/recordings/:id',
      run: (call) => (recordings.find(call.param('id')) === undefined ? gone() : player()),
    },
    {
      method: 'GET',
      path: '/recordings/:id/events',
      run(call) {
        const events = recordings.find(call.param('id'));
        if (events === undefined) return gone();
        const { status, headers } = json(200, []);
        return { status, headers: { ...headers, 'cache-control': 'no-store' }, body: events };
      },
    },
  ];
}

function gone(): Answer {
  return messagePage(
    404,
    'No such recording',
    'It was deleted with its visitor, or made room for newer ones.',
  );
}

function player(): Answer {
  const head = `<link rel="stylesheet" href="/assets/vendor/replay.css">
<link rel="stylesheet" href="/assets/watch.css">
<link rel="stylesheet" href="/assets/recording.css">
<script type="module" src="/assets/recording.js"></script>
`;
  const body = `<body class="recording">
<header class="toolbar">
<h1>Recording</h1>
<p id="state" role="status">Loading…</p>
</header>
<main class="window" aria-label="The visitor’s screen">
<div id="stage" class="stage"></div>
<div class="playback">
<button type="button" id="play">Play</button>
<label for="place">Place in the recording</label>
<input type="range" id="place" min="0" value="0" step="100">
<span id="time">0:00</span>
</div>
</main>
</body>`;
  return htmlAnswer(200, htmlDocument('Recording', body, head), { isLive: true });
}
