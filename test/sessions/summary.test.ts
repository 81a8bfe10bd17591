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

  it.each([
    [['click', 'scroll', 'remote_cursor', 'type', 'draw'], 'click, scroll, pointer, typing, drawing'],
    [['redirect', 'navigate'], 'page change'],
    [['CLICK', 'click'], 'click'],
    [['hologram_mode'], 'hologram mode'],
    [['<!channel>'], '&lt;!channel&gt;'],
    [[7, { a: 1 }, 'click'], 'click'],
    [
      Array.from({ length: 13 }, (_, index) => `f${index}`),
      'f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 3 more',
    ],
  ])('puts the features %j into words', (features_used, words) => {
    expect(linesOf({ features_used })).toContain(`Tools used: ${words}`);
  });

  it.each([[[]], [null], [['']]])('says so where nothing was used: %j', (features_used) => {
    expect(linesOf({ features_used })).toContain('Tools: View only, no tools used');
  });

  it('shows a feature by the name that the service gave it, whatever that is', () => {
    const features_used = ['constructor', '__proto__', 'toString'];
    expect(linesOf({ features_used })).toContain('Tools used: constructor, proto, toString');
  });

  it.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [59.6, '1 minute'],
    [60, '1 minute'],
    [3_600, '1 hour'],
    [7_384, '2 hours 3 minutes'],
  ])('puts a length of %d seconds into words', (length_seconds, words) => {
    expect(linesOf({ length_seconds })).toContain(`Duration: ${words}`);
  });

  it('works out a length that the service does not give', () => {
    expect(linesOf({ length_seconds: null })).toContain('Duration: 12 minutes 5 seconds');
    const onlyFormatted = { length_seconds: null, ended_at: null, formatted_length: '12m 5s' };
    expect(linesOf(onlyFormatted)).toContain('Duration: 12m 5s');
  });

  it('leaves out what is not known', () => {
    const nothing = {
      agents: null,
      started_at: 'soon',
      ended_at: null,
      length_seconds: null,
      features_used: null,
    };
    expect(linesOf(nothing)).toEqual([
      'Co-browsing session ended',
      'Visitor: Jane Cooper',
      'Agent: <@U0ALEX00001>',
      'Tools: View only, no tools used',
      'Access: Full control',
    ]);
  });

  it('names all agents, five by name', () => {
    expect(linesOf({ agents: named(2) })).toContain('Agents: Agent 0, Agent 1');
    expect(linesOf({ agents: named(9) })).toContain(
      'Agents: Agent 0, Agent 1, Agent 2, Agent 3, Agent 4, 4 others',
    );
  });

  it('names an external agent, an agent by nickname and by email', () => {
    const agents = [
      { id: 'slack-T1-U1', name: 'Sam Lee', _type: 'external_agent' },
      { id: 'a2', agent_nickname: 'Robin' },
      { id: 'a3', email: 'kim@acme.com' },
      { id: 'a4' },
    ];
    expect(linesOf({ agents })).toContain('Agents: Sam Lee, Robin, kim@acme.com');
  });

  it('says who stopped it, and that it was on-premise', () => {
    const lines = linesOf({ on_premise: true }, { userId: 'U0SAM000002', reason: 'wrong *customer*' });
    expect(lines).toContain('Stopped by: <@U0SAM000002>');
    expect(lines).toContain('Reason: wrong *customer*');
    expect(lines).toContain('Where: On-premise');
    expect(linesOf({ on_premise: false }).join()).not.toContain('n-premise');
  });

  it('has more than watching in its thread, too: a direct message says where it should have gone', () => {
    const message = sound(
      undeliveredSummary(contentOf({}), 'C0SALES0002', troubleOf({ reason: 'not_in_channel' })),
    );
    expect(message.text).toContain('I couldn’t post this summary in <#C0SALES0002>.');
    expect(message.text).toContain('Type /invite @Co-browse there');
    expect(message.text).toContain('Visitor: Jane Cooper');
  });

  it.each([
    ['channel_not_found', '/invite @Co-browse'],
    ['is_archived', 'archived'],
    ['restricted_action', 'workspace admin'],
    ['some_new_code', 'Slack answered some_new_code.'],
  ])('says what to do about %s', (reason, words) => {
    expect(sound(undeliveredSummary(contentOf({}), undefined, troubleOf({ reason }))).text).toContain(words);
  });
});

describe('the length of a session in its summary', () => {
  const unknown = { length_seconds: null, ended_at: null };
  it.each([
    [{ call_length_seconds: 30, formatted_call_length: '30s' }, 'Duration: 12 minutes 5 seconds'],
    [{ ...unknown, call_length_seconds: 30 }, 'Time live: 30 seconds'],
    [{ ...unknown, call_length_seconds: 0, formatted_call_length: '0m 31s' }, 'Time live: 0m 31s'],
    [{ ...unknown, formatted_length: '12m', call_length_seconds: 30 }, 'Duration: 12m'],
  ])('is the service’s own, or says that it’s the time live: %j', (fields, line) => {
    expect(linesOf(fields).filter((one) => /^(?:Duration|Time live)/.test(one))).toEqual([line]);
  });

  it('is left out where nothing is known of it', () => {
    expect(linesOf({ ...unknown, call_length_seconds: 0 }).join()).not.toMatch(/Duration|Time live/);
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

  it('is chosen by buttons without an address: rights are checked at the press', () => {
    expect(JSON.stringify(summary(content))).not.toContain('"url"');
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
      'The summary of your request is in <#C0SALES0002>, which you’ve left.',
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

describe('the details of a session', () => {
  it('call who watched, once: a changed message shows nobody that there is something new', () => {
    expect(summaryDetail(contentOf({}), true).text.split('\n')[0]).toBe(
      '<@U0ALEX00001>, here are the details of your session:',
    );
    expect(summaryDetail(contentOf({}), false).text).not.toContain('U0ALEX00001');
  });

  it('come with the whole summary to who has left the channel', () => {
    const { text } = sound(summaryElsewhere(contentOf({}), 'C0SALES0002'));
    expect(text).toContain('Your session ended. Its summary is in <#C0SALES0002>, which you’ve left.');
    expect(text).toContain('Visitor: Jane Cooper');
  });
});

describe('a session whose end nobody reported', () => {
  it('says so in small print', () => {
    const { text, blocks } = sound(shortSummary({ ...contentOf({}), recovered: true }));
    expect(text).toContain('The end was detected automatically (no webhook arrived).');
    expect(blocks.map(({ type }) => type)).toContain('context');
  });
});

describe('the recording in a summary', () => {
  it('is a link, in the blocks alone', () => {
    const fields = { video_url: 'https://recordings.example/1' };
    expect(linkIn(fields)).toBe('https://recordings.example/1');
    expect(linesOf(fields)).toContain('Recording: open the recording');
  });

  it('is the one behind the dashboard’s login, and never the one that opens for everybody', () => {
    const both = { public_video_url: 'https://public.example/1', video_url: 'https://login.example/1' };
    expect(linkIn(both)).toBe('https://login.example/1');
    expect(linkIn({ public_video_url: 'https://public.example/1' })).toBeUndefined();
  });

  it.each(['https://cobrowse.example@evil.example/1', 'https://:word@evil.example/1'])(
    'is none that looks like another’s: %s',
    (address) => expect(linkIn({ video_url: address })).toBeUndefined(),
  );

  it('is written as an address that Slack takes', () => {
    expect(linkIn({ video_url: ' https://recordings.example/a b\n' })).toBe(
      'https://recordings.example/a%20b',
    );
  });

  it.each([
    'http://recordings.example/1',
    'javascript:alert(1)',
    'data:text/html,x',
    '/session/1',
    'recordings.example/1',
    '',
    null,
    7,
    { url: 'https://recordings.example/1' },
    `https://recordings.example/${'x'.repeat(2_000)}`,
  ])('is left out where it is %j', (video_url) => {
    expect(linkIn({ video_url })).toBeUndefined();
    expect(linesOf({ video_url }).join()).not.toContain('Recording');
  });
});

describe('quality feedback in a summary', () => {
  it.each([
    [['Great help'], ['Feedback: Great help']],
    [[5], ['Feedback: 5']],
    [[{ rating: 5, comment: 'Quick' }], ['Feedback: 5: Quick']],
    [[{ score: 0 }], ['Feedback: 0']],
    [[{ text: 'Fine' }], ['Feedback: Fine']],
    [[{ rating: '', comment: 'Fine' }], ['Feedback: Fine']],
    [[{ rating: { stars: 5 }, comment: ['x'] }], []],
    [[{ mood: 'happy' }, null, [], true, ''], []],
    [['<!channel> *x*'], ['Feedback: &lt;!channel&gt; *x*']],
    [null, []],
    ['five', []],
  ])('is read from %j', (given, lines) => {
    expect(feedbackIn(given)).toEqual(lines);
  });

  it('is five at most, each cut', () => {
    const many = feedbackIn(Array.from({ length: 20 }, () => 'y'.repeat(1_000)));
    expect(many).toHaveLength(5);
    expect(many[0]?.length).toBeLessThan(320);
  });
});
