import { describe, expect, it } from 'vitest';
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

async function workspaceOfPress(body: object) {
  const payload = read('press', PressPayload, await placed({ ...body }, workspaceIn));
  return payload && callerOf(payload);
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
    [
      'is of the workspace that posted it where Slack names the organization twice',
      press({ team: { id: GRID } }),
      ACME,
    ],
    ['is of the workspace that Slack does name', press({ team: { id: SALES } }), SALES],
    [
      'is of the workspace that its view names, first',
      press({ view: { id: 'V1', callback_id: `c@${OF_SALES}`, app_installed_team_id: ACME } }),
      ACME,
    ],
  ])('%s', async (_what, body, workspaceId) => {
    expect(await workspaceOfPress(body)).toMatchObject({ workspaceId });
  });
});

const form = (view: object) => ({
  ...organizations,
  type: 'view_submission',
  view: { id: 'V1', callback_id: `c@${OF_SALES}`, state: { values: {} }, ...view },
});
const workspaceOfForm = async (body: object) => {
  const payload = read('form', SubmissionPayload, await placed({ ...body }, workspaceIn));
  return payload && callerOf(payload).workspaceId;
};

it('a form is of the workspace that its view names, or else of the one that opened it', async () => {
  expect(await workspaceOfForm(form({ app_installed_team_id: ACME }))).toBe(ACME);
  for (const app_installed_team_id of [null, GRID])
    expect(await workspaceOfForm(form({ app_installed_team_id }))).toBe(SALES);
});

it('a command names its workspace, and the flag as a word', async () => {
  const body = {
    command: '/cobrowse',
    text: 'help',
    team_id: ACME,
    enterprise_id: GRID,
    is_enterprise_install: 'true',
    user_id: 'W0ALEX00001',
    channel_id: 'C1',
    response_url: 'https://hooks.slack.com/x',
  };
  const payload = read('command', CommandPayload, await placed(body, workspaceIn));
  expect(payload && callerOfCommand(payload)).toMatchObject({ workspaceId: ACME, userId: 'W0ALEX00001' });
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
    [
      'is of none if it isn’t: a shared channel’s other organization',
      event(STRANGERS, { team_id: null }),
      '',
    ],
    ['also where the authorization names the organization twice', event(ACME, { team_id: GRID }), ACME],
    ['is of none if it names none', event(null, { team_id: null }), ''],
  ])('%s', async (_what, body, workspaceId) => {
    const payload = read('event', EventPayload, await placed({ ...body }, workspaceIn));
    expect(payload && placeOfEvent(payload).workspaceId).toBe(workspaceId);
  });
});
