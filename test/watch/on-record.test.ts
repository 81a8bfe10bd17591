import { describe, expect, it } from 'vitest';
import type { NewEntry } from '../../src/audit/audit.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink, type WatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/database.ts';
import { IssuedLink, type LinkRequest } from '../../src/messages/link-request.ts';
import { RightUnknownError } from '../../src/permissions/permissions.ts';
import type { AgentIdentity } from '../../src/watch/agents.ts';
import { createIssueLink } from '../../src/watch/link-requests.ts';
import { serving, ticketKind } from './stage.ts';

const ALEX = { workspaceId: 'T1', userId: 'U0ALEX', channelId: 'C0SUPPORT' };
const watch: LinkRequest = { ...ALEX, visitorId: 'jane4821', access: 'full' };
const proxy: LinkRequest = { ...ALEX, proxy: { initialUrl: 'https://shop.example/', allowedDomains: [] } };

const full = new CobrowseError('limit-reached', 'answered 402');

function openIssueLink({
  record,
  make = async () => parseWatchLink('https://service.example/w/1'),
  agentOf = async () => ({ id: 'agent_alex', name: 'Alex' }),
}: {
  readonly record?: () => Promise<void>;
  readonly make?: () => Promise<WatchLink>;
  readonly agentOf?: () => Promise<AgentIdentity>;
}) {
  const actions: NewEntry[] = [];
  const issueLink = createIssueLink(
    {
      publicUrl: undefined,
      now: Date.now,
      audit: { record: async (entry) => void actions.push(entry), hashOf: (typed) => typed },
    },
    {
      agentOf,
      sessionEndTickets: ticketKind('session-end', IssuedLink),
      async recordIssuedLink(_workspace, entry) {
        actions.push(entry);
        await record?.();
      },
    },
  );
  const cobrowse = { ...serving.cobrowse, createWatchLink: make, createProxyLink: make };
  const issue = (request: LinkRequest) => issueLink({ ...serving, cobrowse }, request, undefined);
  return { issueLink: issue, actions };
}

describe.each([
  ['link', watch],
  ['proxy-link', proxy],
] as const)('a %s', (action, request) => {
  it('is handed out only when the audit has it', async () => {
    const written = Promise.withResolvers<void>();
    const { issueLink, actions } = openIssueLink({ record: () => written.promise });
    let isHandedOut = false;
    const link = issueLink(request).then((made) => {
      isHandedOut = true;
      return made;
    });
    await expect.poll(() => actions).toMatchObject([{ ...ALEX, action, outcome: 'given' }]);
    expect(isHandedOut).toBe(false);
    written.resolve();
    expect((await link).locationHeader()).toBe('https://service.example/w/1');
  });

  it('is kept back where the audit cannot be written', async () => {
    const { issueLink } = openIssueLink({ record: () => Promise.reject(new DatabaseError('full')) });
    await expect(issueLink(request)).rejects.toThrow(DatabaseError);
  });

  it('that could not be made is on record, too', async () => {
    const { issueLink, actions } = openIssueLink({ make: () => Promise.reject(full) });
    await expect(issueLink(request)).rejects.toBe(full);
    expect(actions).toMatchObject([{ ...ALEX, action, outcome: 'limit-reached' }]);
  });
});

it('is not made, which is on record, for somebody of whom Slack does not say who they are', async () => {
  const unknown = new RightUnknownError(new Error('Slack is down'));
  const { issueLink, actions } = openIssueLink({ agentOf: () => Promise.reject(unknown) });
  await expect(issueLink(watch)).rejects.toBe(unknown);
  expect(actions).toMatchObject([{ ...ALEX, action: 'link', outcome: 'unchecked' }]);
});
