import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  CommandPayload,
  EventPayload,
  PressPayload,
  SubmissionPayload,
  callerOf,
  callerOfCommand,
  createPayloadReader,
  placeOfEvent,
  placed,
} from '../../src/slack/payloads.ts';
import type { Workspaces } from '../../src/workspaces/workspaces.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { genuine } from './genuine-payloads.ts';

const GRID = 'E0GRID00000';
const ACME = 'T0ACME00000';
const SALES = 'T0SALES0000';
/** Of another organization, with which a channel is shared. */
const STRANGERS = 'T0STRANGERS';
const [OF_ACME, OF_SALES] = ['1'.repeat(36), '2'.repeat(36)];

/** Both of the organization's workspaces have the app. */
const workspaceIn: Workspaces['access']['workspaceIn'] = async (organizationId, { installId, workspaceId }) =>
  organizationId === GRID
    ? [
        [OF_ACME, ACME],
        [OF_SALES, SALES],
      ].find(([install, id]) => (installId === undefined ? id === workspaceId : install === installId))?.[1]
    : undefined;

const { log } = keptLog();
const read = createPayloadReader(log);

/** As Slack sends it where the organization installed the app. */
const organizations = {
  team: null,
  enterprise: { id: GRID, name: 'Grid' },
  is_enterprise_install: true,
  user: { id: 'W0ALEX00001', team_id: ACME },
  trigger_id: '1.2.3',
};
const action = { type: 'button', action_id: 'watch', action_ts: '1.2', value: 'jane' };
const press = (more: object, block = `b@${OF_ACME}`) => ({
  ...organizations,
  type: 'block_actions',
  actions: [{ ...action, block_id: block }],
  ...more,
});
const strangers = { id: 'W0ERIN00006', team_id: STRANGERS };

/** Which workspace something is of, by what reads it and what finds its place. */
async function workspaceOf<Payload>(
  body: object,
  schema: z.ZodType<Payload>,
  placeOf: (payload: Payload) => { readonly workspaceId: string },
) {
  const payload = read('press', schema, await placed({ ...body }, workspaceIn));
  return payload && placeOf(payload).workspaceId;
}

describe('a press where an organization installed the app', () => {
  it.each([
    ['is of the workspace that posted the button', press({}), ACME],
    ['also where Slack writes the flag as a word', press({ is_enterprise_install: 'true' }), ACME],
    [
      'also by somebody whose own workspace is another one',
      press({ user: { id: 'W0ALEX00001', team_id: SALES } }),
      ACME,
    ],
    ['also by a stranger in a shared channel', press({ user: strangers }), ACME],
    ['is of the person’s workspace without that', press({}, 'b'), ACME],
    ['is of none of theirs outside the organization', press({ user: strangers }, 'b'), ''],
    ['is of none by an unknown install', press({}, `b@${'3'.repeat(36)}`), ''],
    ['is of none in another organization', press({ enterprise: { id: 'E0OTHER0000' } }), ''],
    ['is of none where Slack names no organization', press({ enterprise: null }), ''],
    ['is of that also where Slack names the organization twice', press({ team: { id: GRID } }), ACME],
    ['is of the workspace that Slack does name', press({ team: { id: SALES } }), SALES],
    [
      'is of the workspace that its view names, first',
      press({ view: { id: 'V1', callback_id: `c@${OF_SALES}`, app_installed_team_id: ACME } }),
      ACME,
    ],
  ])('%s', async (_what, body, workspaceId) => {
    expect(await workspaceOf(body, PressPayload, callerOf)).toBe(workspaceId);
  });
});

it('a form is of the workspace that its view names, or else of the one that opened it', async () => {
  const view = { id: 'V1', callback_id: `c@${OF_SALES}`, state: { values: {} } };
  for (const [app_installed_team_id, workspaceId] of [
    [ACME, ACME],
    [null, SALES],
    [GRID, SALES],
  ]) {
    const form = { ...organizations, type: 'view_submission', view: { ...view, app_installed_team_id } };
    expect(await workspaceOf(form, SubmissionPayload, callerOf)).toBe(workspaceId);
  }
});

it('a command names its workspace, and the flag as a word', async () => {
  const command = genuine.find((one) => 'command' in one);
  const body = { ...command, team_id: ACME, enterprise_id: GRID, is_enterprise_install: 'true' };
  expect(await workspaceOf(body, CommandPayload, callerOfCommand)).toBe(ACME);
});

const event = (team_id: string | null, first: object) => ({
  type: 'event_callback',
  team_id,
  event: { type: 'app_home_opened' },
  authorizations: [{ enterprise_id: GRID, is_bot: true, is_enterprise_install: true, ...first }],
});

describe('an event where an organization installed the app', () => {
  it.each([
    ['is of the workspace of its authorization', event(STRANGERS, { team_id: ACME }), ACME],
    ['is of the one in its envelope, if that’s the organization’s', event(ACME, { team_id: null }), ACME],
    ['is of none if it’s a shared channel’s other organization', event(STRANGERS, { team_id: null }), ''],
    ['also where the authorization names the organization twice', event(ACME, { team_id: GRID }), ACME],
    ['is of none if it names none', event(null, { team_id: null }), ''],
  ])('%s', async (_what, body, workspaceId) => {
    expect(await workspaceOf(body, EventPayload, placeOfEvent)).toBe(workspaceId);
  });
});
