import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import type { Message } from '../../src/messages/message.ts';
import { troubleOf } from '../../src/outbox/trouble.ts';
import {
  shortSummary,
  summary,
  summaryDetail,
  summaryElsewhere,
  undeliveredSummary,
} from '../../src/sessions/summary.ts';
import type { SummaryContent } from '../../src/sessions/summary.ts';
import { writtenDates } from '../../src/slack/plain-answer.ts';
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

function contentOf(
  fields: object,
  stoppedBy?: SummaryContent['stoppedBy'],
  outcome?: SummaryContent['outcome'],
) {
  const session = SessionSchema.parse({ ...usual, ...fields });
  const visitor = { endId: 'end1', visitorId: 'jane4821', visitor: 'Jane Cooper', isCut: false };
  return { session, ...visitor, watchedBy: 'U0ALEX00001', access: 'full', stoppedBy, outcome } as const;
}

const linesOf = (fields: object, stoppedBy?: SummaryContent['stoppedBy']) =>
  writtenDates(sound(summary(contentOf(fields, stoppedBy))).text, {}).split('\n');

const named = (number: number) =>
  Array.from({ length: number }, (_, index) => ({ id: `a${index}`, name: `Agent ${index}` }));

const linkIn = (fields: object) => {
  const json = JSON.stringify(sound(summary(contentOf(fields))).blocks);
  return /"type":"link","url":"([^"]*)"/.exec(json)?.[1];
};

const feedbackIn = (quality_feedback: unknown) =>
  linesOf({ quality_feedback }).filter((line) => line.startsWith('Feedback: '));

describe('the summary of a session', () => {
  it('says who, when, how long and what was used', () => {
    expect(linesOf({})).toEqual([
      'Co-browsing session ended',
      'Visitor: Jane Cooper',
      'Agent: Alex Rivera',
      'Duration: 12 minutes 5 seconds',
      'Tools used: click',
      'Started: 2026-03-04 09:00 UTC',
      'Access: Full control',
    ]);
  });

  it('shows the start in the reader’s own time zone', () => {
    const { blocks } = summary(contentOf({}));
    const seconds = Date.parse(usual.started_at) / 1_000;
    expect(JSON.stringify(blocks)).toContain(
      `<!date^${seconds}^{date_short_pretty} at {time}|2026-03-04 09:00 UTC>`,
    );
  });

  const noLength = { length_seconds: null, ended_at: null };
  it.each<[string, object]>([
    [
      'Tools used: click, scroll, pointer, typing, drawing',
      { features_used: ['click', 'scroll', 'remote_cursor', 'type', 'draw'] },
    ],
    ['Tools used: page change', { features_used: ['redirect', 'navigate'] }],
    ['Tools used: click', { features_used: ['CLICK', 'click'] }],
    ['Tools used: hologram mode', { features_used: ['hologram_mode'] }],
    ['Tools used: &lt;!channel&gt;', { features_used: ['<!channel>'] }],
    ['Tools used: constructor, proto, toString', { features_used: ['constructor', '__proto__', 'toString'] }],
    [
      'Tools used: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 3 more',
      { features_used: Array.from({ length: 13 }, (_, index) => `f${index}`) },
    ],
    ['Tools: View only, no tools used', { features_used: [] }],
    ['Duration: 0 seconds', { length_seconds: 0 }],
    ['Duration: 1 second', { length_seconds: 1 }],
    ['Duration: 1 minute', { length_seconds: 59.6 }],
    ['Duration: 1 hour', { length_seconds: 3_600 }],
    ['Duration: 2 hours 3 minutes', { length_seconds: 7_384 }],
    ['Duration: 12 minutes 5 seconds', { length_seconds: null }],
    ['Duration: 12m 5s', { ...noLength, formatted_length: '12m 5s' }],
    ['Duration: 12m', { ...noLength, formatted_length: '12m', call_length_seconds: 30 }],
    ['Duration: 12 minutes 5 seconds', { call_length_seconds: 30, formatted_call_length: '30s' }],
    ['Time live: 30 seconds', { ...noLength, call_length_seconds: 30 }],
    ['Time live: 0m 31s', { ...noLength, call_length_seconds: 0, formatted_call_length: '0m 31s' }],
    ['Agents: Agent 0, Agent 1', { agents: named(2) }],
    ['Agents: Agent 0, Agent 1, Agent 2, Agent 3, Agent 4, 4 others', { agents: named(9) }],
    [
      'Agents: Sam Lee, Robin, kim@acme.com',
      {
        agents: [
          { id: 'slack-T1-U1', name: 'Sam Lee', _type: 'external_agent' },
          { id: 'a2', agent_nickname: 'Robin' },
          { id: 'a3', email: 'kim@acme.com' },
          { id: 'a4' },
        ],
      },
    ],
    ['Where: On-premise', { on_premise: true }],
  ])('says "%s" where the service says %j', (line, fields) => {
    const about = /^(?:Tools|Agents|Where)/.exec(line)?.[0] ?? '(?:Duration|Time live)';
    expect(linesOf(fields).filter((one) => new RegExp(`^${about}`).test(one))).toEqual([line]);
  });

  it('leaves out what is not known', () => {
    const nothing = {
      ...noLength,
      agents: null,
      started_at: 'soon',
      features_used: null,
      call_length_seconds: 0,
      on_premise: false,
    };
    expect(linesOf(nothing)).toEqual([
      'Co-browsing session ended',
      'Visitor: Jane Cooper',
      'Agent: <@U0ALEX00001>',
      'Tools: View only, no tools used',
      'Access: Full control',
    ]);
  });

  it('says who stopped it, and why', () => {
    const lines = linesOf({}, { userId: 'U0SAM000002', reason: 'wrong *customer*' });
    expect(lines).toContain('Stopped by: <@U0SAM000002>');
    expect(lines).toContain('Reason: wrong *customer*');
  });
});

/** What an element may be pressed as. */
const pressable = (message: Message) =>
  message.blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.map((element) => ('text' in element ? element.text.text : element.type))
      : [],
  );

describe('the outcome of a session in its summary', () => {
  const solved = { outcome: 'solved', by: 'U0SAM000002', at: Date.UTC(2026, 2, 4) } as const;
  const content = contentOf({}, undefined, solved);

  it('says who set it, and to people of other organizations the outcome’s word only', () => {
    expect(sound(summary(content)).text).toContain('Outcome: Solved, set by <@U0SAM000002>');
    const shared = sound(shortSummary({ ...content, isCut: true })).text.split('\n');
    expect(shared).toContain('Outcome: Solved');
  });

  it('can be chosen below, with a note beside it where only this organization reads along', () => {
    expect(pressable(summary(content))).toEqual(['Watch again', 'Add note', 'static_select']);
    expect(pressable(shortSummary({ ...content, isCut: true }))).toEqual(['Watch again', 'static_select']);
    expect(pressable(shortSummary({ ...content, isCut: 'unknown' }))).toEqual([
      'Watch again',
      'static_select',
    ]);
  });

  it('is no part of what has no buttons: the details, and a direct message about a channel', () => {
    const trouble = troubleOf({ reason: 'is_archived' });
    const others = [
      summaryDetail(content, true),
      undeliveredSummary(content, undefined, trouble),
      summaryElsewhere(content, 'C0SALES0002'),
    ];
    expect(others.flatMap(pressable)).toEqual([]);
    for (const other of others) sound(other);
  });
});

describe('a session that the customer never accepted', () => {
  const flags = { session_authorized: false, went_live: false };
  const all = contentOf({
    ...flags,
    features_used: ['click'],
    quality_feedback: [{ rating: 1, comment: 'Who was that?' }],
  });

  it('says just that, and nothing of what was done', () => {
    expect(writtenDates(sound(summary(all)).text, {}).split('\n')).toEqual([
      'Jane Cooper didn’t accept',
      'Visitor: Jane Cooper',
      'Agent: Alex Rivera',
      'Asked: 2026-03-04 09:00 UTC',
      'Asked for: Full control',
    ]);
    expect(sound(shortSummary(all)).text.split('\n')).toEqual([
      'Jane Cooper didn’t accept',
      'Visitor: Jane Cooper',
      'Agent: Alex Rivera',
    ]);
  });

  it('can be watched again and noted, and is not asked how it went', () => {
    expect(pressable(summary(all))).toEqual(['Watch again', 'Add note']);
    expect(pressable(shortSummary({ ...all, isCut: true }))).toEqual(['Watch again']);
    sound(shortSummary({ ...all, isCut: true, visitorId: '' }));
  });

  it('is a request in its details and messages', () => {
    expect(summaryDetail(all, true).text).toContain('here are the details of your request:');
    expect(sound(summaryElsewhere(all, 'C0SALES0002')).text).toContain(
      'The summary of your request is in <#C0SALES0002>, which you’re not in.',
    );
  });

  it.each([
    [{ session_authorized: true }],
    [{ session_authorized: false, went_live: true }],
    [{}],
    [{ session_authorized: 'no', went_live: null }],
  ])('is an ended one where it was accepted, or nobody knows: %j', (fields) => {
    expect(linesOf(fields)[0]).toBe('Co-browsing session ended');
    expect(pressable(summary(contentOf(fields)))).toContain('static_select');
  });
});

describe('the columns of a summary', () => {
  it('have five names with their values each, and markup for nothing that came from outside', () => {
    const message = sound(summary({ ...contentOf({}), visitor: '*bold* <!channel> :tada:' }));
    const columns = message.blocks.flatMap((block) => (block.type === 'section' ? [block.fields ?? []] : []));
    expect(columns.map(({ length }) => length)).toEqual([10, 2]);
    expect(columns[0]?.slice(0, 2)).toEqual([
      { type: 'mrkdwn', text: '*Visitor*' },
      { type: 'plain_text', text: '*bold* <!channel> :tada:', emoji: false },
    ]);
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
    ['https://:word@evil.example/1', undefined],
    ['http://recordings.example/1', undefined],
    ['javascript:alert(1)', undefined],
    ['/session/1', undefined],
    ['', undefined],
    [null, undefined],
    [7, undefined],
    [{ url: 'https://recordings.example/1' }, undefined],
    [`https://recordings.example/${'x'.repeat(2_000)}`, undefined],
  ])('at %j is a link in the blocks alone, as Slack takes it, or left out', (video_url, url) => {
    expect(linkIn({ video_url })).toBe(url);
    const said = linesOf({ video_url }).filter((line) => line.startsWith('Recording'));
    expect(said).toEqual(url === undefined ? [] : ['Recording: open the recording']);
  });
});

describe('quality feedback in a summary', () => {
  it.each([
    [['Great help'], ['Feedback: Great help']],
    [[5], ['Feedback: 5']],
    [[{ rating: 5, comment: 'Quick' }], ['Feedback: 5: Quick']],
    [[{ score: 0 }], ['Feedback: 0']],
    [[{ rating: '', comment: 'Fine' }], ['Feedback: Fine']],
    [[{ rating: { stars: 5 }, comment: ['x'] }], []],
    [[{ mood: 'happy' }, null, [], true, ''], []],
    [['<!channel> *x*'], ['Feedback: &lt;!channel&gt; *x*']],
    [null, []],
  ])('is read from %j', (given, lines) => {
    expect(feedbackIn(given)).toEqual(lines);
  });

  it('is five at most, each cut', () => {
    const many = feedbackIn(Array.from({ length: 20 }, () => 'y'.repeat(1_000)));
    expect(many).toHaveLength(5);
    expect(many[0]?.length).toBeLessThan(320);
  });
});
