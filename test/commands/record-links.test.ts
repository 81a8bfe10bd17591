import { describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { recordLinks, recordTemplate } from '../../src/commands/record-links.ts';

const CRM = 'https://crm.acme.com/contacts/{unique_id}';

const jane = VisitorSchema.parse({ short_id: 'jane4821', unique_id: 'c-7', email: 'jane@acme.com' });
const urls = (line: string, fields: object = {}, readers: 'one' | 'channel' = 'one') =>
  recordLinks([line], { ...jane, ...fields }, ['live.example'], readers).map(({ url }) => url);

describe('a template of customers’ records', () => {
  it.each([
    [`Acme CRM ${CRM}`, `Acme CRM ${CRM}`],
    [`Acme CRM → ${CRM}`, `Acme CRM ${CRM}`],
    [`Acme CRM: ${CRM}`, `Acme CRM ${CRM}`],
    ['Büro https://bücher.example?mail={email}#{id}', 'Büro https://bücher.example?mail={email}#{id}'],
  ])('is kept of %j', (typed, kept) => {
    expect(recordTemplate(typed)).toBe(kept);
    expect(recordTemplate(kept)).toBe(kept);
  });

  it.each([
    CRM,
    'Acme CRM',
    'CRM http://crm.acme.com/{id}',
    'CRM javascript:alert({id})',
    'CRM https://crm.acme.com/contacts',
    'CRM https://crm.acme.com/{name}',
    'CRM https://crm.acme.com/{}',
    'CRM https://crm.acme.com/{id',
    'CRM https://{id}.acme.com/',
    'CRM https://crm.acme.com:{id}/',
    'CRM https://{id}@crm.acme.com/',
    'CRM https://crm.acme.com\\{id}',
    'CRM https://crm.acme.com/\u202E{id}',
    `${'C'.repeat(41)} ${CRM}`,
  ])('is none of %j', (typed) => expect(recordTemplate(typed)).toBeUndefined());
});

describe('the links to a customer’s records', () => {
  it.each([
    [`CRM ${CRM}`, {}, 'https://crm.acme.com/contacts/c-7'],
    [`CRM ${CRM}`, { unique_id: 'a/../b?c#d&e' }, 'https://crm.acme.com/contacts/a%2F..%2Fb%3Fc%23d%26e'],
    [`CRM ${CRM}`, { unique_id: 'ö\uD800' }, 'https://crm.acme.com/contacts/%C3%B6%EF%BF%BD'],
    ['CRM https://a.example/{id}?m={email}', {}, 'https://a.example/jane4821?m=jane%40acme.com'],
  ])('are filled: %s of %j', (line, fields, url) => expect(urls(line, fields)).toEqual([url]));

  it.each([
    [`CRM ${CRM}`, { unique_id: undefined }],
    [`CRM ${CRM}`, { unique_id: ' ' }],
    [`CRM ${CRM}`, { unique_id: '..' }],
    [`CRM ${CRM}`, { unique_id: 'a'.repeat(3_000) }],
    ['CRM https://a.example/{email}', { email: undefined }],
    ['CRM https://live.example/{id}', {}],
    ['CRM https://a.example/{id}/abcdefgh', { short_id: 'watch' }],
    ['no template', {}],
  ])('aren’t there: %s of %j', (line, fields) => expect(urls(line, fields)).toEqual([]));

  it('have no email where more than one person reads them', () => {
    expect(urls('Desk https://a.example/{email}', {}, 'channel')).toEqual([]);
    expect(urls(`CRM ${CRM}`, {}, 'channel')).toHaveLength(1);
  });
});
