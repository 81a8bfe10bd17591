import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import type { Message } from '../../src/messages/message.ts';
import { shortSummary, summary, summaryDetail, type SummaryContent } from '../../src/sessions/summary.ts';
import { writtenDates } from '../../src/slack/answer.ts';
import { problemsIn } from '../support/shown.ts';

const usual = {
  id: 'session_1',
  agents: [{ id: 'agent_alex', name: 'Alex Rivera', _type: 'user' }],
  started_at: '2026-03-04T10:00:00.000+01:00',
  ended_at: '2026-03-04T10:12:05.000+01:00',
  features_used: ['click'],
  length_seconds: 725,
};

function sound(message: Message): Message {
  const { text, blocks } = message;
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  return message;
}

function contentOf(fields: object): SummaryContent {
  const session = SessionSchema.parse({ ...usual, ...fields });
  const visitor = { endId: 'end1', visitorId: 'jane4821', visitor: 'Jane Cooper', isCut: false };
  return {
    session,
    ...visitor,
    watchedBy: 'U0ALEX00001',
    access: 'full',
    stoppedBy: undefined,
    outcome: undefined,
  };
}

const titleFor = (visitor: string) => sound(summary({ ...contentOf({}), visitor })).text.split('\n');

const linesOf = (fields: object) => writtenDates(sound(summary(contentOf(fields))).text).split('\n');

const named = (number: number) =>
  Array.from({ length: number }, (_, index) => ({ id: `a${index}`, name: `Agent ${index}` }));

const linkIn = (fields: object) => {
  const json = JSON.stringify(sound(summary(contentOf(fields))).blocks);
  return /"type":"link","url":"([^"]*)"/.exec(json)?.[1];
};

describe('the summary of a session', () => {
  it('links the customer’s records, in the short one, too', () => {
    const records = [
      { name: 'Acme CRM', url: 'https://crm.acme.com/jane4821' },
      { name: 'Billing', url: 'https://billing.acme.com/jane4821' },
    ];
    for (const draw of [summary, shortSummary]) {
      const { text, blocks } = sound(draw({ ...contentOf({}), records }));
      expect(text).toContain('Records: Acme CRM');
      expect(JSON.stringify(blocks)).toContain('"type":"link","url":"https://billing.acme.com/jane4821"');
    }
  });

  it('says who, when, how long and what was used', () => {
    expect(linesOf({})).toEqual([
      'Jane Cooper with Alex Rivera · 12 min',
      'Co-browsing session ended · Full control · Started: 2026-03-04 09:00 UTC',
      'Tools used: click',
    ]);
  });

  it.each<[string, object]>([
    [
      'Tools used: click, scroll, pointer, typing, drawing',
      { features_used: ['click', 'scroll', 'remote_cursor', 'type', 'draw'] },
    ],
    ['Tools used: click', { features_used: ['CLICK', 'click'] }],
    ['Tools used: &lt;!channel&gt;', { features_used: ['<!channel>'] }],
    ['Tools used: constructor, proto, toString', { features_used: ['constructor', '__proto__', 'toString'] }],
    [
      'Tools used: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 3 more',
      { features_used: Array.from({ length: 13 }, (_, index) => `f${index}`) },
    ],
    ['Where: On-premise', { on_premise: true }],
  ])('says "%s" where the service says %j', (line, fields) => {
    const about = /^(?:Tools|Where)/.exec(line)?.[0] ?? '';
    expect(linesOf(fields).filter((one) => one.startsWith(about))).toEqual([line]);
  });

  const long = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3).trim();
  it.each<[readonly string[], object]>([
    [['Jane Cooper with Alex Rivera · 0 s'], { length_seconds: 0 }],
    [['Jane Cooper with Alex Rivera · 1 min'], { length_seconds: 59.6 }],
    [['Jane Cooper with Alex Rivera · 2 h 3 min'], { length_seconds: 7_384 }],
    [['Jane Cooper with Alex Rivera · 12 min'], { length_seconds: null }],
    [
      [
        'Jane Cooper with Agent 0 and others · 12 min',
        'Agents: Agent 0, Agent 1, Agent 2, Agent 3, Agent 4, 4 others',
      ],
      { agents: named(9) },
    ],
    [
      ['Jane Cooper with Sam Lee and others · 12 min', 'Agents: Sam Lee, Robin, kim@acme.com'],
      {
        agents: [
          { id: 'slack-T1-U1', name: 'Sam Lee', _type: 'external_agent' },
          { id: 'a2', agent_nickname: 'Robin' },
          { id: 'a3', email: 'kim@acme.com' },
          { id: 'a4' },
        ],
      },
    ],
    [
      [`Jane Cooper with ${long.slice(0, 59)}… · 12 min`, `Agent: ${long.slice(0, 79)}…`],
      { agents: [{ id: 'a1', name: long }] },
    ],
  ])(
    'has who and how long in its title, and a field only for what that has no room for: %j',
    (said, fields) => {
      const about = /^(?:Jane Cooper |Agents?: )/;
      expect(linesOf(fields).filter((one) => about.test(one))).toEqual(said);
    },
  );

  it('keeps a customer’s name in its title from looking like another fact, or hiding how long it took', () => {
    expect(titleFor('Bob · 9 h <!channel>')).toContain('Customer: Bob · 9 h &lt;!channel&gt;');
    expect(titleFor('Bob · 9 h <!channel>')[0]).toBe('Bob - 9 h &lt;!channel&gt; with Alex Rivera · 12 min');
    expect(titleFor('x'.repeat(500))[0]).toBe(`${'x'.repeat(59)}… with Alex Rivera · 12 min`);
  });

  it('leaves out what is not known', () => {
    const times = { length_seconds: null, started_at: 'soon', ended_at: null };
    const nothing = { ...times, agents: null, features_used: null, on_premise: false };
    expect(linesOf(nothing)).toEqual([
      'Jane Cooper',
      'Co-browsing session ended · Full control · No tools used',
      'Agent: <@U0ALEX00001>',
    ]);
  });
});

/** What an element may be pressed as. */
const pressable = (message: Message) =>
  message.blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.map((element) => ('text' in element ? element.text.text : element.type))
      : [],
  );

it('the outcome of a session can be chosen below, with a note beside it where only this organization reads along', () => {
  const outcome = { outcome: 'solved', by: 'U0SAM000002', at: Date.UTC(2026, 2, 4) } as const;
  const content = { ...contentOf({}), outcome };
  expect(pressable(summary(content))).toEqual(['Watch again', 'Add note', 'static_select']);
  for (const isCut of [true, 'unknown'] as const)
    expect(pressable(shortSummary({ ...content, isCut }))).toEqual(['Watch again', 'static_select']);
});

it('the details of a short summary are what it leaves out, without buttons, and none where that is nothing', () => {
  expect(summaryDetail(contentOf({ features_used: ['click'] }), true)).toBeUndefined();
  const details = summaryDetail(contentOf({ on_premise: true, quality_feedback: [5] }), true);
  expect(details?.text).toBe(
    '<@U0ALEX00001>, here are the details of your session:\nWhere: On-premise\nFeedback: 5',
  );
  expect(details?.blocks.some(({ type }) => type === 'actions')).toBe(false);
});

describe('a session that the customer never accepted', () => {
  const flags = { session_authorized: false, went_live: false };
  const all = contentOf({
    ...flags,
    features_used: ['click'],
    quality_feedback: [{ rating: 1, comment: 'Who was that?' }],
  });

  it('says just that, and nothing of what was done', () => {
    for (const made of [summary(all), shortSummary(all)])
      expect(writtenDates(sound(made).text).split('\n')).toEqual([
        'Jane Cooper · Not accepted (after 12 min)',
        'Alex Rivera asked to see the screen · Full control · Asked: 2026-03-04 09:00 UTC',
      ]);
  });

  const until = (ended_at: string) => ({ ...flags, ended_at, length_seconds: null });
  it.each([
    ['Jane Cooper · Not accepted (after 3 s)', until('2026-03-04T10:00:03.000+01:00')],
    ['Jane Cooper · Not accepted', { ...flags, started_at: null, ended_at: null, length_seconds: 0 }],
  ])('blames nobody: "%s" where the service says %j', (title, fields) => {
    expect(linesOf(fields)[0]).toBe(title);
  });

  it('can be watched again and noted, and is not asked how it went', () => {
    expect(pressable(summary(all))).toEqual(['Watch again', 'Add note']);
    expect(pressable(shortSummary({ ...all, isCut: true }))).toEqual(['Watch again']);
    sound(shortSummary({ ...all, isCut: true, visitorId: '' }));
  });

  it('is an ended one where it was accepted, or nobody knows', () => {
    for (const fields of [{ session_authorized: true }, {}]) {
      expect(linesOf(fields)[1]).toMatch(/^Co-browsing session ended · /);
      expect(pressable(summary(contentOf(fields)))).toContain('static_select');
    }
  });
});

describe('the recording in a summary', () => {
  it('is the one behind the dashboard’s login, and never the one that opens for everybody', () => {
    const both = { public_video_url: 'https://public.example/1', video_url: 'https://login.example/1' };
    expect(linkIn(both)).toBe('https://login.example/1');
    expect(linkIn({ public_video_url: 'https://public.example/1' })).toBeUndefined();
  });

  it.each([
    ['https://recordings.example/1', 'https://recordings.example/1'],
    [' https://recordings.example/a b\n', 'https://recordings.example/a%20b'],
    ['https://cobrowse.example@evil.example/1', undefined],
    ['http://recordings.example/1', undefined],
    ['javascript:alert(1)', undefined],
    ['', undefined],
    [null, undefined],
    [`https://recordings.example/${'x'.repeat(2_000)}`, undefined],
  ])('at %j is a link in the blocks alone, as Slack takes it, or left out', (video_url, url) => {
    expect(linkIn({ video_url })).toBe(url);
    const said = linesOf({ video_url }).filter((line) => line.startsWith('Recording'));
    expect(said).toEqual(url === undefined ? [] : ['Recording: open the recording']);
  });
});

it.each([
  [['Great help'], ['Feedback: Great help']],
  [[{ rating: 5, comment: 'Quick' }], ['Feedback: 5: Quick']],
  [[{ score: 0 }], ['Feedback: 0']],
  [[{ rating: { stars: 5 }, comment: ['x'] }], []],
  [['<!channel> *x*'], ['Feedback: &lt;!channel&gt; *x*']],
  [null, []],
])('quality feedback in a summary is read from %j', (quality_feedback, lines) => {
  expect(linesOf({ quality_feedback }).filter((line) => line.startsWith('Feedback: '))).toEqual(lines);
});
