import { describe, expect, it } from 'vitest';

const { selectOptions } = await import(
  new URL('../../../sandbox/page/select-options.js', import.meta.url).href
);

const snapshot = {
  users: [
    { id: 'U1', name: 'Alex', is_bot: false, deactivated: false },
    { id: 'U2', name: 'Gone', is_bot: false, deactivated: true },
    { id: 'U3', name: 'App', is_bot: true, deactivated: false },
  ],
  channels: [
    { id: 'C1', name: 'support', kind: 'channel' },
    { id: 'C2', name: 'shared', kind: 'channel', shared_with: 'Globex' },
    { id: 'D1', name: 'App', kind: 'dm' },
  ],
};
const offered = (element: object) =>
  selectOptions(snapshot, element).flatMap((group: { options: { value: unknown }[] }) =>
    group.options.map(({ value }) => value),
  );

describe('what a menu offers', () => {
  it('are the people who work here', () => {
    expect(offered({ type: 'users_select' })).toEqual(['U1']);
  });

  it.each([
    [undefined, ['C1', 'C2', 'D1']],
    [{ include: ['public'] }, ['C1', 'C2']],
    [{ include: ['im'] }, ['D1']],
    [{ exclude_bot_users: true }, ['C1', 'C2']],
    [{ exclude_external_shared_channels: true }, ['C1', 'D1']],
    [{ include: ['private'] }, []],
  ])('are the conversations its filter %j leaves', (filter, expected) => {
    expect(offered({ type: 'conversations_select', filter })).toEqual(expected);
  });
});
