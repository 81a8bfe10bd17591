import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { usageMessage } from '../views/help.ts';
import type { Message } from '../views/message.ts';
import type { WatchTargetOf } from '../views/visitor-buttons.ts';

/** Who asks, and where the answer belongs. Ids are Slack's. */
export interface Caller {
  readonly workspaceId: string;
  readonly userId: string;
  /** Absent where there is no channel, as in the App Home. */
  readonly channelId?: string;
  /** The message that started it, by `ts`: what follows threads under it. */
  readonly threadTs?: string;
}

/** What commands may use; `app.ts` hands it to them. */
export interface Services {
  readonly cobrowse: CobrowseClient;
  /** Watch targets sealed for this caller. */
  readonly watchTargetsFor: (caller: Caller) => WatchTargetOf;
  /** Makes a link at a press, where no address of ours can do it; undefined where the button's address does. */
  readonly linkAtPress: ((visitorId: string, caller: Caller) => Promise<WatchLink>) | undefined;
  /** The email in a Slack profile; undefined where it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** Remembers who stopped the visitor's session, for its summary, around the stopping itself. */
  readonly recordingStop: (visitorId: string, caller: Caller, stop: () => Promise<void>) => Promise<void>;
}

/** The services a command needs: its signature says which. */
export type Uses<Name extends keyof Services> = Pick<Services, Name>;

/** A button's press. `replace` puts the answer in the pressed message's place, `add` shows it beside. */
export interface Press {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  /** Undefined: the press needs no words (a URL button's page does the work). */
  run(value: string, caller: Caller, services: Services): Promise<Message | undefined>;
}

/** A message as a message shortcut gets it. */
export interface SharedMessage {
  /** All of its text, blocks and attachments included, in Slack's escaped form. */
  readonly text: string;
  /** The person who wrote it; absent for a bot. */
  readonly authorId?: string;
}

/** Something found in a message that can be the command's argument. */
export interface Clue {
  readonly text: string;
  readonly argument: string;
}

/** How a message shortcut asks for the command's argument. */
export interface Shortcut {
  readonly callbackId: string;
  /** At most 24 characters: the modal's title. */
  readonly title: string;
  readonly label: string;
  /** What can be typed into the field, as "Type ..." goes on. */
  readonly asksFor: string;
  /** Whether a single clue is shown to be corrected first, or used at once. */
  readonly ask: 'always' | 'when-unclear';
  clues(message: SharedMessage): readonly Clue[];
}

/** A subcommand of `/cobrowse`, ready to be run from text. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly presses: readonly Press[];
  readonly shortcut: Shortcut | undefined;
  /** What is wrong with the text as the argument, for a form to show beside it; undefined where nothing is. */
  complaint(text: string): string | undefined;
  run(text: string, caller: Caller, services: Services): Promise<Message>;
}

interface Definition<Argument> {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Reads the text after the subcommand's name; its complaint is shown to the person. */
  readonly argument: z.ZodType<Argument, string>;
  readonly presses?: readonly Press[];
  readonly shortcut?: Shortcut;
  run(argument: Argument, caller: Caller, services: Services): Promise<Message>;
}

/** Defines a subcommand: help, routing, "did you mean", button and shortcut follow from the definition. */
export function defineCommand<Argument>(definition: Definition<Argument>): Command {
  const { name, usage, summary, argument, presses = [], shortcut } = definition;
  return {
    name,
    usage,
    summary,
    presses,
    shortcut,
    complaint(text) {
      const parsed = argument.safeParse(text);
      return parsed.success ? undefined : firstComplaint(parsed.error);
    },
    async run(text, caller, services) {
      const parsed = argument.safeParse(text);
      if (!parsed.success) return usageMessage(firstComplaint(parsed.error), { usage, summary });
      return definition.run(parsed.data, caller, services);
    },
  };
}

function firstComplaint(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'That is not understood.';
}

/** A button's press whose value is read by a schema. A value of another version's button is a complaint, not a crash. */
export function definePress<Value>(definition: {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  readonly value: z.ZodType<Value, string>;
  run(value: Value, caller: Caller, services: Services): Promise<Message | undefined>;
}): Press {
  return {
    actionId: definition.actionId,
    answer: definition.answer,
    run: (value, caller, services) => definition.run(definition.value.parse(value), caller, services),
  };
}
