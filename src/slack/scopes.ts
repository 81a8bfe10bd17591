/** The scopes in the manifest; a test compares the two. The reason for each is in docs/configuration.md. */
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
