import { describe, expect, it } from 'vitest';

const { collectState, elementState, missingFields } = await import(
  new URL('../../../sandbox/page/form-state.js', import.meta.url).href
);

const online = { text: { type: 'plain_text', text: 'Online' }, value: 'online' };
const input = (blockId: string, element: object, optional = false) => ({
  type: 'input',
  block_id: blockId,
  optional,
  element: { action_id: 'it', ...element },
});

describe("a modal's state", () => {
  it("has Slack's shape for each kind of input, with the start values", () => {
    const blocks = [
      input('text', { type: 'plain_text_input', initial_value: 'jane' }),
      input('choice', { type: 'static_select', initial_option: online }),
      input('many', { type: 'checkboxes' }),
      input('person', { type: 'users_select' }),
      input('people', { type: 'multi_users_select', initial_users: ['U1'] }),
      input('channels', { type: 'multi_conversations_select', initial_conversations: ['C1'] }),
      { type: 'section', block_id: 'side', accessory: { type: 'radio_buttons', action_id: 'it' } },
      {
        type: 'actions',
        block_id: 'row',
        elements: [{ type: 'button' }, { type: 'datepicker', action_id: 'day' }],
      },
    ];
    expect(collectState(blocks, new Map())).toEqual({
      text: { it: { type: 'plain_text_input', value: 'jane' } },
      choice: { it: { type: 'static_select', selected_option: online } },
      many: { it: { type: 'checkboxes', selected_options: [] } },
      person: { it: { type: 'users_select', selected_user: null } },
      people: { it: { type: 'multi_users_select', selected_users: ['U1'] } },
      channels: { it: { type: 'multi_conversations_select', selected_conversations: ['C1'] } },
      side: { it: { type: 'radio_buttons', selected_option: null } },
      row: { day: { type: 'datepicker', selected_date: null } },
    });
  });

  it('prefers what was typed to the start value, even when it was emptied', () => {
    const element = { type: 'plain_text_input', initial_value: 'jane' };
    const typed = new Map([['text/it', elementState(element, null)]]);
    expect(collectState([input('text', element)], typed)).toEqual({
      text: { it: { type: 'plain_text_input', value: null } },
    });
  });

  it('names the required inputs left empty', () => {
    const blocks = [
      input('blank', { type: 'plain_text_input', initial_value: '  ' }),
      input('none', { type: 'checkboxes' }),
      input('spare', { type: 'plain_text_input' }, true),
      input('full', { type: 'static_select', initial_option: online }),
    ];
    expect(Object.keys(missingFields(blocks, collectState(blocks, new Map())))).toEqual(['blank', 'none']);
  });
});
