import { describe, expect, it } from 'vitest';
import { createRecordForm, createTicketForm } from '../../src/admin/setting-forms.ts';
import { ada, openSettings, wordsOf } from './settings-stage.ts';

const DESK = 'https://acme.zendesk.com/agent/tickets/';

/** As many as there can be, with hosts that browsers spell otherwise. */
const twenty = Array.from({ length: 20 }, (_line, index) => `https://bücher${index}.example/`).join('\n');

async function stage(start: object = {}) {
  const opened = await openSettings(start);
  const form = createTicketForm(opened.settings);
  const records = createRecordForm(opened.settings);
  const save = (text: string, seen?: string) =>
    form.save(ada, { addresses: text === '' ? [] : [text] }, '', seen);
  return { ...opened, form, records, save, kept: async () => (await opened.stored()).ticketPrefixes };
}

describe('the form of the ticket addresses', () => {
  it('keeps them as browsers spell them, each once, and records that', async () => {
    const { save, kept, recorded } = await stage();
    const said = wordsOf(
      await save(`\n HTTPS://Acme.zendesk.com/agent/tickets \n${DESK}\n\nhttps://b.example\n`),
    );
    expect(said).toContain(`Ticket addresses: ${DESK}, https://b.example/`);
    expect(await kept()).toEqual([DESK, 'https://b.example/']);
    await save('');
    expect(await kept()).toEqual([]);
    await save('');
    expect(recorded).toEqual([
      { by: 'U0ADA', outcome: 'done', setting: 'ticketPrefixes', from: [], to: [DESK, 'https://b.example/'] },
      { by: 'U0ADA', outcome: 'done', setting: 'ticketPrefixes', from: [DESK, 'https://b.example/'], to: [] },
    ]);
  });

  it.each([
    [`${DESK}\nacme.com/tickets`, '“acme.com/tickets” can’t be used.'],
    [`${twenty}\nhttps://a.example`, 'At most 20'],
  ])('says what is wrong with %j', async (text, wrong) => {
    const { form } = await stage();
    expect(form.complaints?.({ addresses: [text] })['addresses']).toContain(wrong);
    expect(form.complaints?.({ addresses: [twenty] })).toEqual({});
  });

  it('takes none that watch links begin with', async () => {
    const { save, kept } = await stage();
    expect(wordsOf(await save('https://live.example/t'))).toContain('Watch links look like');
    expect(await kept()).toEqual([]);
  });

  it('opens with those that are kept, and saves nothing if somebody changed them meanwhile', async () => {
    const { form, save, settings, kept } = await stage({ ticketPrefixes: [DESK] });
    const opened = await form.open(ada, '');
    if ('text' in opened) throw new Error(opened.text);
    expect(JSON.stringify(opened)).toContain(`"initial_value":"${DESK}"`);
    const other = { name: 'ticketPrefixes', value: ['https://b.example/'], version: Number(opened.seen) };
    await settings.change({ ...ada, userId: 'U0KIM000003' }, other);
    const said = wordsOf(await save('https://c.example', opened.seen));
    expect(said).toContain('<@U0KIM000003> changed this while your form was open');
    expect(said).toContain('Ticket addresses: https://b.example/');
    expect(await kept()).toEqual(['https://b.example/']);
  });
});

const filled = (text: string) => ({ addresses: [text] });

describe('the form of customers’ records', () => {
  const CRM = 'Acme CRM https://crm.acme.com/contacts/{unique_id}';

  it('keeps the templates, opens with them, and records the change', async () => {
    const { records, recorded, stored } = await stage();
    const said = wordsOf(await records.save(ada, filled(CRM.replace(' https', ' → https')), ''));
    expect(said).toContain(`Customer records: ${CRM}`);
    expect((await stored()).recordLinks).toEqual([CRM]);
    expect(JSON.stringify(await records.open(ada, ''))).toContain(`"initial_value":"${CRM}"`);
    expect(recorded).toEqual([{ by: 'U0ADA', outcome: 'done', setting: 'recordLinks', from: [], to: [CRM] }]);
  });

  it('says which line can’t be used, and that there are too many', async () => {
    const { records } = await stage();
    const complaint = (text: string) => records.complaints?.(filled(text))['addresses'];
    expect(complaint(`${CRM}\nCRM http://crm.acme.com/{id}`)).toContain(
      '“CRM http://crm.acme.com/{id}” can’t',
    );
    expect(complaint(Array.from({ length: 6 }, (_, index) => `${index} ${CRM}`).join('\n'))).toContain(
      'At most 5',
    );
    expect(wordsOf(await records.save(ada, filled('Live https://live.example/{id}'), ''))).toContain(
      'Watch links look like',
    );
  });
});
