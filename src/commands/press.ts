import { z } from 'zod';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedButton } from '../messages/refusals.ts';
import type { Caller, Presser } from './caller.ts';
import type { Command } from './command.ts';
import type { Form } from './form.ts';
import type { IfAllowed, Needing } from './rights.ts';

/** A button's press. `replace` puts the answer in the pressed message's place, `add` shows it beside. */
interface PressAnswer {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  /** The title of the modal that opens for the answer, if one does. */
  readonly title?: string;
  /** What that modal says until there's an answer; that it's loading if not given. */
  readonly busy?: string;
  /** Whether the Home tab is redrawn afterwards: `show` with a skeleton first, `renew` without. */
  readonly redraws?: 'show' | 'renew';
  /** False if the press usually needs no words, only a refusal does; true if not given. */
  readonly needsAnswer?: boolean;
}

/** Only here, so that no press is made that forgets to ask for its right. */
const ASKS_FIRST = Symbol('asks for its right');

export interface Press extends PressAnswer {
  readonly [ASKS_FIRST]: true;
  /** Set if the press opens a form instead of being answered. */
  readonly opens?: {
    readonly form: Form;
    /** The form's content, or a message instead. */
    readonly content: (value: string, caller: Caller, ifAllowed: IfAllowed) => Promise<FormContent | Message>;
    /** Whether a press with this value does; each one if not given. */
    readonly isFor?: (value: string) => boolean;
  };
  /** Undefined if the press needs no answer (a URL button's page does the work). */
  readonly run: (value: string, presser: Presser, ifAllowed: IfAllowed) => Promise<Message | undefined>;
}

/** A button's value that is JSON. */
export const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('is no JSON');
    return z.NEVER;
  }
});

/** A press whose value is read by a schema. A value that doesn't fit comes from another version's button. */
export function definePress<Value>(
  definition: PressAnswer & {
    readonly value: z.ZodType<Value, string>;
    /** Who can press it, and open its form. */
    readonly right: Needing<Value, Presser, unknown>['right'];
    readonly opens?: {
      readonly form: Form;
      readonly content: (value: Value, caller: Caller) => Promise<FormContent | Message>;
      readonly isFor?: (value: Value) => boolean;
    };
    readonly run?: (value: Value, presser: Presser) => Promise<Message | undefined>;
  },
): Press {
  const { value: schema, right, opens, run = async () => undefined, ...press } = definition;
  return {
    [ASKS_FIRST]: true,
    ...press,
    ...(opens === undefined
      ? {}
      : {
          opens: {
            form: opens.form,
            isFor(value) {
              const parsed = schema.safeParse(value);
              return !parsed.success || opens.isFor?.(parsed.data) !== false;
            },
            async content(value, caller, ifAllowed) {
              const parsed = schema.safeParse(value);
              return parsed.success
                ? ifAllowed({ right, run: opens.content }, parsed.data, caller)
                : outdatedButton;
            },
          },
        }),
    async run(value, presser, ifAllowed) {
      const parsed = schema.safeParse(value);
      return parsed.success ? ifAllowed({ right, run }, parsed.data, presser) : outdatedButton;
    },
  };
}

/** A press that runs a command, which asks for its own right. Its value is what would be typed. */
export const pressRunning = (command: Pick<Command, 'run'>, press: PressAnswer): Press => ({
  [ASKS_FIRST]: true,
  ...press,
  run: (text, presser, ifAllowed) => command.run(text, presser, ifAllowed),
});
