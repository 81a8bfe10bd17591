import type { World } from './world.ts';

/** Whom and what `@name` and `#name` can mean. */
export interface Directory {
  userId(name: string): string | undefined;
  channelId(name: string): string | undefined;
  groupId(handle: string): string | undefined;
}

// Slack knows every top-level domain; a few are enough to show that an address typed without https:// becomes a link.
const pattern =
  /(https?:\/\/[^\s<>|]*[^\s<>|.,!?;:)'"\]]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<!\w)[@#][\w-]+|(?<![\w@.])(?:[\w-]+\.)+(?:com|org|net|io|dev|app|example)\b(?:\/[^\s<>|]*[^\s<>|.,!?;:)'"\]])?)/u;

/** `&`, `<` and `>` as Slack stores them. */
export const escapeEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Typed text as Slack sends it: names become `<@U..>`, `<!subteam^S..|@group>`, `<#C..|name>` and `<!here>`, email
 * addresses `<mailto:a@b.c|a@b.c>`, addresses `<https://..>`, and the rest has its entities escaped. The same for a
 * command with `should_escape`.
 */
export const escapeTyped = (text: string, directory: Directory): string =>
  text
    .split(pattern)
    .map((part, index) => (index % 2 === 0 ? escapeEntities(part) : escapeMatch(part, directory)))
    .join('');

export const directoryOf = (world: World): Directory => ({
  userId: (name) =>
    world.users.find((user) => [user.name, user.realName.toLowerCase()].includes(name.toLowerCase()))?.id,
  groupId: (handle) => world.userGroups.find((group) => group.handle === handle.toLowerCase())?.id,
  channelId: (name) =>
    world.channels().find((channel) => channel.kind === 'channel' && channel.name === name.toLowerCase())?.id,
});

const escapeMatch = (match: string, directory: Directory): string => {
  const escaped = escapeEntities(match);
  if (match.startsWith('http')) return `<${escaped}>`;
  if (match.startsWith('@')) return escapeMention(match, directory);
  if (match.startsWith('#')) {
    const id = directory.channelId(match.slice(1));
    return id === undefined ? escaped : `<#${id}|${match.slice(1).toLowerCase()}>`;
  }
  return match.includes('@') ? `<mailto:${escaped}|${escaped}>` : `<http://${escaped}|${escaped}>`;
};

const escapeMention = (match: string, directory: Directory): string => {
  const name = match.slice(1);
  if (['here', 'channel', 'everyone'].includes(name)) return `<!${name}>`;
  const group = directory.groupId(name);
  if (group !== undefined) return `<!subteam^${group}|@${name}>`;
  const id = directory.userId(name);
  return id === undefined ? match : `<@${id}>`;
};
