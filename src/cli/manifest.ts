import manifest from '../../manifest.json' with { type: 'json' };
import { bareAddress } from '../cobrowse/watch-link.ts';
import { SLACKBOT_SCOPE } from '../slack/setup-state.ts';

/** The address in manifest.json, to be replaced by yours. */
const PLACEHOLDER = 'https://cobrowse.example.com';

const SLACKBOT = '--slackbot';

const isPlaceholder = (value: unknown) => typeof value === 'string' && value.startsWith(PLACEHOLDER);

/** A copy with this address everywhere; undefined: without anything that needs one. */
function withAddress(value: unknown, address: string | undefined): unknown {
  const isKept = (inner: unknown) => address !== undefined || !isPlaceholder(inner);
  if (Array.isArray(value)) return value.filter(isKept).map((inner) => withAddress(inner, address));
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).filter(([, inner]) => isKept(inner));
    return Object.fromEntries(kept.map(([key, inner]) => [key, withAddress(inner, address)]));
  }
  return typeof value === 'string' ? value.replace(PLACEHOLDER, address ?? '') : value;
}

/** An https address with nothing after its path; undefined for anything else. */
function readAddress(text: string): string | undefined {
  const bare = bareAddress(text);
  return bare?.url.protocol === 'https:' ? bare.url.origin + bare.path : undefined;
}

/** Who installs the app can leave these out, and it works on without what they're for. Source: app manifest, `bot_optional`. */
const OPTIONAL = ['usergroups:read', 'channels:history', 'groups:history', 'im:history', 'files:write'];

/** For workspaces that install the app, or whole organizations: where Slack leads back to, and events about installations. */
function forMany(base: typeof manifest, address: string, hasOrganizations: boolean): unknown {
  const { oauth_config: oauth, settings } = base;
  const { event_subscriptions: events } = settings;
  const scopes = { ...oauth.scopes, bot_optional: OPTIONAL };
  const ofOrganizations = hasOrganizations ? ['team_access_granted', 'team_access_revoked'] : [];
  const bot_events = [...events.bot_events, 'app_uninstalled', 'tokens_revoked', ...ofOrganizations];
  const many = {
    ...base,
    oauth_config: { redirect_urls: [`${PLACEHOLDER}/slack/oauth_redirect`], scopes },
    settings: {
      ...settings,
      org_deploy_enabled: hasOrganizations,
      event_subscriptions: { ...events, bot_events },
    },
  };
  return withAddress(many, address);
}

/** What Slackbot needs, too; the server's name is what people see. Source: docs.slack.dev/ai/slackbot-mcp-client. */
function withSlackbot() {
  const { oauth_config: oauth } = manifest;
  const scopes = { ...oauth.scopes, bot: [...oauth.scopes.bot, SLACKBOT_SCOPE] };
  const server = { url: `${PLACEHOLDER}/mcp`, auth_type: 'slack_identity_auth' };
  return { ...manifest, oauth_config: { ...oauth, scopes }, mcp_servers: { 'Co-browse': server } };
}

/** For an address or an option as typed; undefined if it doesn't understand them. */
export function manifestFor(argument: string, next: string | undefined, hasSlackbot = false): unknown {
  const base = hasSlackbot ? withSlackbot() : manifest;
  const hasOrganizations = argument === '--organization';
  if (hasOrganizations || argument === '--many') {
    const address = readAddress(next ?? '');
    return address && forMany(base, address, hasOrganizations);
  }
  if (next !== undefined) return undefined;
  if (argument === '--socket' && !hasSlackbot) {
    const settings = { ...manifest.settings, socket_mode_enabled: true };
    return withAddress({ ...manifest, settings }, undefined);
  }
  const address = readAddress(argument);
  return address && withAddress(base, address);
}

const PLAIN = `Slack only sends to https addresses, so an address with http:// doesn't work. For a try-out without one, use Socket Mode.\n\n`;

interface Terminal {
  readonly argv: readonly string[];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** `npm run manifest`. @returns false if it doesn't understand what was typed */
export function run({ argv, stdout, stderr }: Terminal): boolean {
  const typed = argv.slice(2).filter((one) => one !== SLACKBOT);
  const [argument = '', next, ...rest] = typed;
  const wanted = rest.length === 0 ? manifestFor(argument, next, argv.includes(SLACKBOT)) : undefined;
  if (wanted === undefined) {
    if (/^http:\/\//i.test(next ?? argument)) stderr.write(PLAIN);
    return false;
  }
  stdout.write(`${JSON.stringify(wanted, undefined, 2)}\n`);
  return true;
}
