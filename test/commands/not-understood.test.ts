import { describe, expect, it } from 'vitest';
import { ADA } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';

describe('a command with more than it takes', () => {
  const { sandbox } = checkedSandbox();

  it.each([
    ['usage', 'last week'],
    ['usage', '@sam'],
    ['doctor', 'quick'],
    ['subscriptions', 'here'],
    ['audit', 'qwertz'],
    ['sessions', 'since yesteryear'],
    ['sessions', 'csv yesteryear'],
    ['digest', 'off tomorrow'],
    ['followups', 'today'],
  ])('says so instead of ignoring it: /cobrowse %s %s', async (name, more) => {
    const { text } = await personIn(sandbox(), ADA).type(`/cobrowse ${name} ${more}`);
    expect(text).toMatch(/didn’t understand “|^Type daily|^Name a person/);
  });
});
