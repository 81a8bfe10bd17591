import { expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { hasUsableId } from '../../src/sessions/session-links.ts';

const KEY = 'kQ3v9xZt7LpW2mNc8RbY';

/** A link in every form that somebody could still open. */
const forms = [
  `https://live.example/go?key=${KEY}`,
  `HTTP://live.example/${KEY}`,
  `https:/live.example/${KEY}`,
  String.raw`https:\\live.example\go\${KEY}`,
  `//live.example/go?key=${KEY}`,
  `live.example/go?key=${KEY}`,
  `live.example#${KEY}`,
  `live.example:8443/${KEY}`,
  `bücher.example/${KEY}`,
  `10.0.0.7:3000/watch/${KEY}`,
  `localhost:3000/watch/${KEY}`,
  `https%3A%2F%2Flive.example%2Fgo%3Fkey%3D${KEY}`,
  `<https://live.example/${KEY}|the screen>`,
  `[the screen](https://live.example/${KEY})`,
  `Look:https://live.example/${KEY}.`,
  `see "https://live.example/${KEY}", please`,
];

/** A session that has the text wherever one could stand. */
const echoing = (text: string) => ({
  id: 's1',
  agents: [{ id: 'a1', name: text, agent_nickname: text, email: text, external_id: text }],
  call_name: text,
  ended_at: `2026-03-01T10:00:00Z (${text})`,
  features_used: [text],
  formatted_call_length: text,
  formatted_length: text,
  metadata: { slack_link: text, link: text },
  public_video_url: text,
  quality_feedback: [text, { comment: text, rating: text }, { text, url: text }, [text]],
  source: text,
  started_at: text,
  team: { id: text, domain: text },
  video_status: text,
  visitor_id: text,
  watch_url: text,
});

it.each(forms)(
  'keeps nothing of %s, wherever in a session the service says it, nor takes it as an id',
  (form) => {
    const kept = JSON.stringify(SessionSchema.parse(echoing(form)));
    for (let at = 0; at + 6 <= KEY.length; at += 1) expect(kept).not.toContain(KEY.slice(at, at + 6));
    expect(kept).toContain('[link]');
    expect(hasUsableId({ id: form })).toBe(false);
  },
);

it.each([
  'Great help, 4.5/5!',
  'and/or 10:30 - 11:00',
  'It works. Why? Because.',
  'ada@example.test said so',
  'v1.2/beta #4821 C++ a\\b',
  '¿Qué? 雪 😀',
])('leaves other words as they are: %s', (words) => {
  const session = SessionSchema.parse({ id: 's1', quality_feedback: [words], features_used: [words] });
  expect([session.quality_feedback, session.features_used]).toEqual([[words], [words]]);
});

it.each([
  ['https://recordings.example/1?of=7', 'https://recordings.example/1?of=7'],
  [`https://live.example/watch/${KEY}`, undefined],
  [`https://live.example/watch?key=${KEY}`, undefined],
  [`https://live.example/visitors/jane/watch_url/${KEY}`, undefined],
  [`https://live.example/WATCH/join/${KEY}`, undefined],
])('takes for a recording what isn’t a watch link by its path: %s', (video_url, recording) => {
  expect(SessionSchema.parse({ id: 's1', video_url }).video_url).toBe(recording);
});
