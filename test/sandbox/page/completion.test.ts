import { describe, expect, it } from 'vitest';

const { complete } = await import(new URL('../../../sandbox/page/completion.js', import.meta.url).href);

const snapshot = {
  commands: [{ command: '/cobrowse', description: 'Find a customer', usage_hint: 'find jane | help' }],
  completions: [
    { usage: 'find [query]', summary: 'List visitors.' },
    { usage: 'stop <visitor id>', summary: 'End the session.' },
    { usage: 'help', summary: 'Say what can be asked.' },
  ],
};
const inserts = (text: string) =>
  complete(text, snapshot).items.map((item: { readonly insert: string }) => item.insert);

describe('command completion in the composer', () => {
  it('offers the commands, then what each can be followed by', () => {
    expect(inserts('/')).toEqual(['/cobrowse ', '/cobrowse find ', '/cobrowse stop ', '/cobrowse help']);
    expect(inserts('/cobrowse s')).toEqual(['/cobrowse stop ']);
  });

  it('shows the usage while an argument is typed, and offers nothing to take', () => {
    const { items, hint } = complete('/cobrowse find ja', snapshot);
    expect(items).toEqual([]);
    expect(hint).toMatchObject({ label: '/cobrowse find', usage: '[query]', summary: 'List visitors.' });
  });

  it.each(['hello', 'a /cobrowse', '/cobrowse find\nx', '/other'])('stays away for %j', (text) => {
    expect(complete(text, snapshot)).toEqual({ items: [], hint: null });
  });
});
