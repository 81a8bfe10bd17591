/** What the manifest asks Slack for; a test holds the two together. Each one's reason is in docs/configuration.md. */
export const NEEDED_SCOPES = [
  'commands',
  'chat:write',
  'users:read',
  'users:read.email',
  'usergroups:read',
  'channels:read',
  'groups:read',
  'channels:history',
  'groups:history',
  'im:history',
  'im:write',
  'files:write',
] as const;
