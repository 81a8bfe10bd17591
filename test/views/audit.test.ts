import { expect, it } from 'vitest';
import { auditPage } from '../../src/views/audit.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const page = {
  filter: { userIds: ['U0SAM000002'], channelIds: [], visitorIds: [], actions: ['delete'], since: undefined },
  offset: 0,
  records: [],
  more: '{}',
  searchedTo: new Date('2026-03-01T12:00:00Z'),
  file: '{}',
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
