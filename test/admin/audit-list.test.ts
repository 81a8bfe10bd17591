import { expect, it } from 'vitest';
import { auditPage } from '../../src/admin/audit.ts';
import type { ShownRecord } from '../../src/admin/audit-sentences.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const page = {
  filter: { userIds: ['U0SAM000002'], channelIds: [], visitorIds: [], actions: ['delete'], since: undefined },
  offset: 0,
  records: [],
  more: '{}',
  searchedTo: new Date('2026-03-01T12:00:00Z'),
  file: '{}',
  zone: undefined,
} as const;

it('says how far back a search of the audit got that found nothing so far, and goes on from there', () => {
  const { text, blocks } = auditPage(page);
  expect(text).toContain('Audit log, newest first: deletion by <@U0SAM000002>');
  expect(text).toMatch(/2026-03-01 12:00 UTC>: searched back to here\. Press More to search further back\./);
  expect(buttonsIn(blocks).map((button) => button.text.text)).toEqual([
    'More',
    'Get the file',
    'As JSON lines',
  ]);
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
});

const record = (at: string, more: object = {}): ShownRecord => ({
  at,
  workspaceId: 'T1',
  userId: 'U0SAM000002',
  action: 'stop',
  outcome: 'done',
  visitorId: 'jane4821',
  ...more,
});

/** A line of the list. */
const at = (when: string, what: string) => expect.stringMatching(`^- <!date.*\\|${when} UTC> · .*${what}`);

it('says each day once, by the clock of the reader, and what was done in bold', () => {
  const records = [
    record('2026-03-02T00:30:00.000Z'),
    record('2026-03-01T23:30:00.000Z', { channelId: 'C0SUPPORT01', action: 'refusal', outcome: 'not-admin' }),
    record('2026-03-01T22:30:00.000Z'),
  ];
  const daysIn = (zone: string | undefined) => {
    const { text, blocks } = auditPage({ ...page, records, zone });
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
    return text.split('\n').slice(1, -1);
  };
  const stopped = 'stopped jane4821’s session$';
  const [dayBefore, dayAfter] = [/short_pretty}\|2026-03-01/, /short_pretty}\|2026-03-02/].map((day) =>
    expect.stringMatching(day),
  );
  const [last, middle, first] = [
    at('2026-03-02 00:30', stopped),
    at('2026-03-01 23:30', 'in <#C0SUPPORT01>, <@U0SAM000002> tried to do something \\(not an admin\\)$'),
    at('2026-03-01 22:30', stopped),
  ];
  for (const zone of ['UTC', undefined, 'Nowhere/Land'])
    expect(daysIn(zone)).toEqual([dayAfter, last, dayBefore, middle, first]);
  expect(daysIn('Europe/Amsterdam')).toEqual([dayAfter, last, middle, dayBefore, first]);
  const { blocks } = auditPage({ ...page, records, zone: 'UTC' });
  expect(JSON.stringify(blocks)).toContain('{"type":"text","text":"stopped","style":{"bold":true}}');
});
