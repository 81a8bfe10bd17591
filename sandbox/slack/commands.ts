import { joinChannel } from './channel-life.ts';
import type { Acknowledgement } from './dispatch.ts';
import { directoryOf, escapeEntities, escapeTyped } from './escape.ts';
import { done, refused, sayAsSlackbot, type Interaction, type Outcome } from './interaction.ts';
import { commandPayload } from './payloads.ts';
import { parseAnswer } from './response-url.ts';
import { SlackError } from './slack-error.ts';

interface Typed {
  readonly as: string;
  readonly channel: string;
  readonly text: string;
  readonly thread_ts?: string;
}

/**
 * A slash command as a person typed it. Slack itself handles `/invite @name`; everything else comes from the manifest.
 * Slack's other built-in commands are left out.
 */
export const runCommand = async (
  parts: Interaction,
  { as, channel: channelId, text }: Typed,
): Promise<Outcome> => {
  const { world } = parts;
  const channel = world.channel(channelId);
  if (channel === undefined || !channel.members.includes(as)) return refused('You are not in this channel.');
  const [name = '', rest = ''] = split(text);
  const at = { channel: channel.id, user: as };
  if (name === '/invite') return invite(parts, at, rest);
  const command = parts.manifest.commands.find((it) => it.command === name);
  if (command === undefined || !world.hasApp(as)) {
    sayAsSlackbot(world, at, notACommand(name));
    return done;
  }
  const payload = commandPayload(world, {
    userId: as,
    channel,
    command: name,
    text: command.should_escape ? escapeTyped(rest, directoryOf(world)) : escapeEntities(rest),
    responseUrl: parts.responseUrls.issue({ channel: channel.id, user: as }),
    triggerId: parts.triggers.issue(as, channel.id),
  });
  showCommandAnswer(parts, { ...at, name }, await parts.deliver('slash_commands', payload));
  return done;
};

/** An ordinary message, or a reply in a thread, where Slack refuses commands. */
export const sendMessage = async (parts: Interaction, typed: Typed): Promise<Outcome> => {
  const { world } = parts;
  const channel = world.channel(typed.channel);
  if (channel === undefined || !channel.members.includes(typed.as))
    return refused('You are not in this channel.');
  if (typed.text.trim() === '') return refused('There is nothing to send.');
  const root = typed.thread_ts === undefined ? undefined : world.threadRoot(channel.id, typed.thread_ts);
  if (typed.thread_ts !== undefined && (root === undefined || root.visibleTo !== undefined)) {
    return refused('This message takes no replies.');
  }
  if (typed.text.startsWith('/')) {
    if (root === undefined) return runCommand(parts, typed);
    const at = { channel: channel.id, user: typed.as, threadTs: root.ts };
    sayAsSlackbot(world, at, `${split(typed.text)[0]} is not supported in threads. Sorry!`);
    return done;
  }
  world.post({
    channel: channel.id,
    user: typed.as,
    text: escapeTyped(typed.text, directoryOf(world)),
    threadTs: root?.ts,
  });
  return done;
};

const split = (text: string): readonly string[] => {
  const [name = '', ...words] = text.trim().split(/ +/u);
  return [name, words.join(' ')];
};

const notACommand = (name: string): string =>
  `${name} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands. ` +
  'If you are trying to send a message and not run a command, try preceding the "/" with an empty space.';

const invite = (
  parts: Interaction,
  at: { readonly channel: string; readonly user: string },
  rest: string,
): Outcome => {
  const { world } = parts;
  const id = directoryOf(world).userId(rest.replace(/^@/u, ''));
  const channel = world.channel(at.channel);
  if (id === undefined || channel === undefined) return refused('Slack knows nobody of that name.');
  if (channel.members.includes(id)) {
    sayAsSlackbot(world, at, 'They are already in this channel.');
    return done;
  }
  return joinChannel(parts, { channel: channel.id, user: id, by: at.user });
};

const showCommandAnswer = (
  { world }: Interaction,
  at: { readonly channel: string; readonly user: string; readonly name: string },
  acknowledgement: Acknowledgement,
): void => {
  if (!acknowledgement.acknowledged) {
    sayAsSlackbot(world, at, failureWords(at.name, acknowledgement.reason));
    return;
  }
  const { body } = acknowledgement;
  if (isEmptyBody(body)) return;
  try {
    const answer = parseAnswer(typeof body === 'string' ? { text: body } : body);
    world.post({
      channel: at.channel,
      user: world.app.botUser,
      text: answer.text,
      blocks: answer.blocks,
      visibleTo: answer.response_type === 'in_channel' ? undefined : at.user,
    });
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    sayAsSlackbot(world, at, `${at.name} failed with the error "${error.code}"`);
  }
};

const failureWords = (name: string, reason: 'operation_timeout' | 'dispatch_failed'): string =>
  reason === 'operation_timeout'
    ? `${name} failed with the error "operation_timeout"`
    : `${name} failed because the app did not respond.`;

/** Nothing over HTTP, an empty object through a socket. */
const isEmptyBody = (body: unknown): boolean =>
  body === '' ||
  body === undefined ||
  body === null ||
  (typeof body === 'object' && Object.keys(body).length === 0);
