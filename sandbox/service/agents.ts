import { isoTime } from './time.ts';

/** An agent of the account, with a login. */
export interface AccountUser {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly agent_nickname: string;
}

/** An agent as a session lists it. External agents have neither email nor nickname. */
export type SessionAgent = AccountSessionAgent | ExternalAgent;

interface AccountSessionAgent {
  readonly id: string;
  readonly agent_nickname: string;
  readonly email: string;
  readonly name: string;
  readonly external_id: null;
  readonly _type: 'user';
}

interface ExternalAgent {
  readonly id: string;
  readonly name: string;
  readonly external_id: string;
  readonly _type: 'external_agent';
}

export interface Agents {
  readonly byEmail: (email: string) => AccountUser | undefined;
  /** The account user with this id. */
  readonly byId: (id: string) => AccountUser | undefined;
  readonly byExternalId: (externalId: string) => ExternalAgent | undefined;
  /** Who a watch link names: the account user with this id, otherwise an external agent, created the first time. */
  readonly forLink: (agent: { readonly id: string; readonly name: string }) => SessionAgent;
}

/** The agents of the account; `users` have logins, external agents appear with their first session. */
export function createAgents(users: readonly AccountUser[], randomId: () => string): Agents {
  const external = new Map<string, ExternalAgent>();
  return {
    byEmail: (email) => users.find((user) => user.email.toLowerCase() === email.toLowerCase()),
    byId: (id) => users.find((user) => user.id === id),
    byExternalId: (externalId) => external.get(externalId),
    forLink(agent) {
      const user = users.find((candidate) => candidate.id === agent.id);
      if (user) return sessionAgent(user);
      const known: ExternalAgent = {
        id: external.get(agent.id)?.id ?? randomId(),
        name: agent.name,
        external_id: agent.id,
        _type: 'external_agent',
      };
      external.set(agent.id, known);
      return known;
    },
  };
}

/** An account user as its sessions list it. */
export function sessionAgent(user: AccountUser): SessionAgent {
  return {
    id: user.id,
    agent_nickname: user.agent_nickname,
    email: user.email,
    name: `${user.first_name} ${user.last_name}`,
    external_id: null,
    _type: 'user',
  };
}

/** The Agent object of the document, without its sessions. */
export function accountUserObject(user: AccountUser, now: Date) {
  return {
    id: user.id,
    agent_nickname: user.agent_nickname,
    created_at: '2023-02-01T09:00:00.000+01:00',
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    name: `${user.first_name} ${user.last_name}`,
    from_oauth: false,
    last_request_at: isoTime(now),
    live_support: true,
    mfa_enabled: true,
    password: true,
    phone_number: null,
    signup_hours_offset: 1,
    timezone: null,
    _type: 'user',
  };
}
