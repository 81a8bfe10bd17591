import { expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

const { sandbox } = checkedSandbox();

/** The addresses that blocks lead to which are a customer's records. */
const recordsIn = (blocks: unknown) =>
  Array.from(
    JSON.stringify(blocks).matchAll(/"(https:\/\/(?:crm|desk)\.acme\.com[^"]*)"/g),
    ([, url]) => url,
  );

async function summaryIn(channelId: string) {
  const webhooks = webhooksOf(sandbox());
  const id = `in ${channelId}`;
  await webhooks.send(endedSession(id), { to: webhooks.address({ ...alexInSupport, channelId }) });
  await webhooks.summaryOf(id);
  return personIn(sandbox(), ALEX, channelId).existing(new RegExp(`Agent of ${id}`));
}

it('a customer’s records are buttons for who looks, and links in summaries without an email, unless others read along', async () => {
  const ada = atHome(sandbox(), ADA);
  await ada.open();
  const form = await ada.pressFor(/^Change: Customer records/, /one per line/);
  await ada.saved(form, {
    addresses:
      'Acme CRM → https://crm.acme.com/contacts/{id}\nHelpdesk https://desk.acme.com/?customer={email}',
  });
  const alex = personIn(sandbox());
  const card = await alex.type('/cobrowse visitor jane4821');
  expect(recordsIn(card.blocks)).toEqual([
    'https://crm.acme.com/contacts/jane4821',
    'https://desk.acme.com/?customer=jane%40acme.com',
  ]);
  const records = buttonsIn(card.blocks).filter(({ url }) => recordsIn([{ url }]).length > 0);
  expect(records.map(({ text }) => text.text)).toEqual(['Acme CRM', 'Helpdesk']);
  expect(records[0]?.accessibility_label).toBe('Acme CRM: open the record of Jane Cooper');

  expect(recordsIn((await summaryIn('C0SUPPORT01')).blocks)).toEqual([
    'https://crm.acme.com/contacts/jane4821',
  ]);
  expect(recordsIn((await summaryIn('C0SHARED004')).blocks)).toEqual([]);
});
