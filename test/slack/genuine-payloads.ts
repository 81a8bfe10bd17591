import { ALEX, SUPPORT } from '../support/person.ts';
import { FORM, JSON_TYPE } from '../support/signed.ts';

/** An address where nothing listens. */
const nowhere = 'http://127.0.0.1:9/response/none';
const common = {
  team: { id: 'T0ACME00000', domain: 'acme' },
  user: { id: ALEX, team_id: 'T0ACME00000' },
  trigger_id: '1.2.3',
  response_url: nowhere,
  token: 'x',
};
const input = (value: unknown) => ({ type: 'plain_text_input', value });
const view = (callback_id: string, values: object) => ({
  id: 'V0NONE',
  type: 'modal',
  callback_id,
  private_metadata: JSON.stringify({ channelId: SUPPORT, shortcut: 'find_visitor' }),
  state: { values },
});
const submission = (of: object) => ({ ...common, type: 'view_submission', view: of });
const press = (action_id: string, value: string) => ({
  ...common,
  type: 'block_actions',
  channel: { id: SUPPORT },
  message: { ts: '1.000001' },
  container: { type: 'message', is_ephemeral: true },
  actions: [{ type: 'button', action_id, block_id: 'b', value, action_ts: '1.2' }],
});

const event = (payload: object) => ({
  type: 'event_callback',
  team_id: 'T0ACME00000',
  event_id: 'Ev1',
  authorizations: [{ team_id: 'T0ACME00000', user_id: 'U0COBROWSE', is_bot: true }],
  event: payload,
});

/** What Slack sends, one of each kind; a command is the only one that is no JSON. */
export const genuine: readonly Readonly<Record<string, unknown>>[] = [
  {
    command: '/cobrowse',
    text: 'find jane',
    team_id: 'T0ACME00000',
    user_id: ALEX,
    channel_id: SUPPORT,
    response_url: nowhere,
    trigger_id: '1.2.3',
  },
  press('visitor', 'jane4821'),
  press('find_more', '{"query":"jane","offset":10}'),
  press('watch', '{"visitorId":"jane4821","access":"full"}'),
  press('stop', 'nobody'),
  press('delete_visitor', 'nobody'),
  press('home_edit_settings', 'x'),
  submission(view('shortcut_form', { text: { value: input('jane') } })),
  submission(view('start_form', { visitor: { visitor_search: input('jane4821') } })),
  submission(view('home_settings_form', {})),
  {
    ...common,
    type: 'message_action',
    callback_id: 'find_visitor',
    channel: { id: SUPPORT },
    message: { ts: '1.000001', user: ALEX, text: 'jane@acme.com', blocks: [], attachments: [] },
  },
  { ...common, type: 'shortcut', callback_id: 'start_cobrowsing' },
  { ...common, type: 'block_suggestion', action_id: 'visitor_search', block_id: 'b', value: 'ja' },
  { ...common, type: 'view_closed', view: view('start_form', {}) },
  event({ type: 'app_home_opened', user: ALEX, tab: 'home', channel: 'D1' }),
  event({ type: 'member_joined_channel', user: ALEX, channel: SUPPORT, inviter: ALEX }),
  event({ type: 'channel_id_changed', old_channel_id: 'C0OLD000001', new_channel_id: 'C0NEW000001' }),
  event({ type: 'channel_archive', user: ALEX, channel: SUPPORT }),
  event({ type: 'user_change', user: { id: ALEX } }),
  event({ type: 'subteam_updated', subteam: { id: 'S0SUPPORT01' } }),
];

/** Stands for an object whose keys are those that every object has. JSON.stringify would not write it. */
export const INHERITED = '@inherited@';
const asText = (payload: unknown) =>
  JSON.stringify(payload).replaceAll(
    `"${INHERITED}"`,
    '{"__proto__":{"polluted":true,"id":"U1"},"constructor":{"prototype":{"polluted":true}},"toString":1}',
  );

/** All places in a value, each by its keys. */
export function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

/** A copy with something else in one place; `undefined` leaves it out. */
export function withAt(value: unknown, [key, ...rest]: readonly string[], instead: unknown): unknown {
  if (key === undefined) return instead;
  const at = (name: string, inner: unknown) => (name === key ? withAt(inner, rest, instead) : inner);
  if (Array.isArray(value)) return value.map((one, index) => at(String(index), one));
  const entries = Object.entries(Object(value));
  return Object.fromEntries(entries.map(([name, inner]) => [name, at(name, inner)]));
}

/** As it goes over the wire. */
export function encoded(payload: unknown): { readonly body: string; readonly type: string } {
  const text = asText(payload) ?? 'null';
  if (text.startsWith('{"type":"event_callback"')) return { body: text, type: JSON_TYPE };
  if (!text.startsWith('{"command"')) return { body: `payload=${encodeURIComponent(text)}`, type: FORM };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(JSON.parse(text))))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return { body: form.toString(), type: FORM };
}
