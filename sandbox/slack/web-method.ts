import { z } from 'zod';

import { argumentsError } from './slack-error.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** One Web API method: who can call it and what it does with its arguments. */
export interface WebMethod {
  readonly token: 'bot' | 'app';
  /** Any of these scopes is enough; empty for none. */
  readonly scopes: readonly string[];
  run(args: unknown): Answer;
}

/** @returns a method that refuses arguments of the wrong shape with `invalid_arguments`, as Slack does. */
export const webMethod = <S extends z.ZodType>(
  scopes: readonly string[],
  schema: S,
  run: (args: z.output<S>) => Answer,
): WebMethod => ({
  token: 'bot',
  scopes,
  run(args) {
    const parsed = schema.safeParse(args);
    if (parsed.success) return run(parsed.data);
    throw argumentsError(
      'invalid_arguments',
      parsed.error.issues.map(
        (issue) => `${issue.message} [json-pointer:/${issue.path.map(String).join('/')}]`,
      ),
    );
  },
});

/** A yes or no, which is text in a form. */
export const flag = z.union([
  z.boolean(),
  z.literal('true').transform(() => true),
  z.literal('false').transform(() => false),
]);
