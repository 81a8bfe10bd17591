import { z } from 'zod';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedButton } from '../messages/refusals.ts';
import type { Caller, Presser } from './caller.ts';
import type { Form } from './form.ts';
import type { Services } from '../services.ts';

/** A button's press. `replace` puts the answer in the pressed message's place, `add` shows it beside. */
export interface Press {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  /** The title of the modal that opens for the answer, if one does. */
  readonly title?: string;
  /** Whether the Home tab is redrawn afterwards: `show` with a skeleton first, `renew` without. */
  readonly redraws?: 'show' | 'renew';
  /** Set if the press opens a form instead of being answered. */
  readonly opens?: {
    readonly form: Form;
    /** The form's content, or a message instead. */
    readonly content: (value: string, caller: Caller, services: Services) => Promise<FormContent | Message>;
  };
  /** False if the button's address does the work: then only a refusal needs an answer. */
  needsAnswer(services: Services): boolean;
  /** Undefined if the press needs no answer (a URL button's page does the work). */
  run(value: string, presser: Presser, services: Services): Promise<Message | undefined>;
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
export function definePress<Value>(definition: {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  readonly value: z.ZodType<Value, string>;
  readonly opens?: Press['opens'];
  readonly needsAnswer?: Press['needsAnswer'];
  run(value: Value, presser: Presser, services: Services): Promise<Message | undefined>;
}): Press {
  const { actionId, answer, value: schema, needsAnswer = () => true, opens } = definition;
  return {
    actionId,
    answer,
    needsAnswer,
    ...(opens === undefined
      ? {}
      : {
          opens: {
            form: opens.form,
            content: async (value, caller, services) =>
              schema.safeParse(value).success ? opens.content(value, caller, services) : outdatedButton,
          },
        }),
    async run(value, presser, services) {
      const parsed = schema.safeParse(value);
      return parsed.success ? definition.run(parsed.data, presser, services) : outdatedButton;
    },
  };
}
