import { describe, expect, it } from 'vitest';
import type { NewEntry } from '../../src/audit/audit.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { IssuedLink } from '../../src/messages/link-request.ts';
import type { LinkRequest } from '../../src/messages/link-request.ts';
import { RightUnknownError } from '../../src/permissions/acts.ts';
import type { AgentIdentity } from '../../src/watch/agents.ts';
import { createIssueLink } from '../../src/watch/issue-link.ts';
import { allowed, ticketKind } from './stage.ts';

const ALEX = { workspaceId: 'T1', userId: 'U0ALEX', channelId: 'C0SUPPORT' };
const watch: LinkRequest = { ...ALEX, visitorId: 'jane4821', access: 'full' };
const proxy: LinkRequest = { ...ALEX, proxy: { initialUrl: 'https://shop.example/', allowedDomains: [] } };

const full = new CobrowseError('limit-reached', 'answered 402');

interface Stage {
  readonly record?: () => Promise<void>;
  readonly failure?: CobrowseError;
  readonly agentOf?: () => Promise<AgentIdentity>;
}

function openIssueLink(stage: Stage) {
  const { record, failure } = stage;
  const actions: NewEntry[] = [];
  const issued: (string | undefined)[] = [];
  const make = async () => {
    if (failure !== undefined) throw failure;
    return parseWatchLink('https://service.example/w/1');
  };
  const issueLink = createIssueLink({
    workspaceOf: async () => ({
      ownAccountId: undefined,
      cobrowse: { createWatchLink: make, createProxyLink: make },
    }),
    agentOf: stage.agentOf ?? (async () => ({ id: 'agent_alex', name: 'Alex' })),
    sessionEndTickets: ticketKind('session-end', IssuedLink),
    publicUrl: undefined,
    audit: {
      record: async (entry) => void actions.push(entry),
      hashOf: (typed) => `hash of ${typed}`,
    },
    async putOnRecord(entry, made) {
      actions.push(entry);
      await record?.();
      issued.push(made?.link.visitorId);
    },
  });
  return { issueLink, actions, issued };
}

describe.each([
  ['link', watch],
  ['proxy-link', proxy],
] as const)('a %s', (action, request) => {
  it('is handed out only when the audit has it', async () => {
    const written = Promise.withResolvers<void>();
    const { issueLink, actions } = openIssueLink({ record: () => written.promise });
    let isHandedOut = false;
    const link = issueLink(allowed(request), undefined).then((made) => {
      isHandedOut = true;
      return made;
    });
    await expect.poll(() => actions).toMatchObject([{ ...ALEX, action, outcome: 'given' }]);
    expect(isHandedOut).toBe(false);
    written.resolve();
    expect((await link).locationHeader()).toBe('https://service.example/w/1');
  });

  it('is kept back where the audit cannot be written', async () => {
    const { issueLink, issued } = openIssueLink({ record: () => Promise.reject(new DatabaseError('full')) });
    await expect(issueLink(allowed(request), undefined)).rejects.toThrow(DatabaseError);
    expect(issued).toEqual([]);
  });

  it('that could not be made is on record, too', async () => {
    const { issueLink, actions, issued } = openIssueLink({ failure: full });
    await expect(issueLink(allowed(request), undefined)).rejects.toBe(full);
    expect(actions).toMatchObject([{ ...ALEX, action, outcome: 'limit-reached' }]);
    expect(issued).toEqual([]);
  });
});

it('is not made, which is on record, for somebody of whom Slack does not say who they are', async () => {
  const unknown = new RightUnknownError(new Error('Slack is down'));
  const { issueLink, actions } = openIssueLink({ agentOf: () => Promise.reject(unknown) });
  await expect(issueLink(allowed(watch), undefined)).rejects.toBe(unknown);
  expect(actions).toMatchObject([{ ...ALEX, action: 'link', outcome: 'unchecked' }]);
});

it('is on record with the agent that was sent to the service, and a proxy link with its host', async () => {
  const { issueLink, actions, issued } = openIssueLink({});
  await issueLink(allowed(watch), undefined);
  const port = { initialUrl: 'https://shop.example:8443/a?b=c', allowedDomains: [] };
  await issueLink(allowed({ ...ALEX, proxy: port }), undefined);
  expect(actions.map(({ detail }) => detail)).toEqual([
    { access: 'full', agent: 'agent_alex', link: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    { host: 'shop.example:8443', address: 'hash of https://shop.example:8443/a?b=c' },
  ]);
  expect(issued).toEqual(['jane4821', undefined]);
});
