/** A refusal with Slack's code, such as `channel_not_found`, and the rest of the answer's body. */
export class SlackError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.name = 'SlackError';
    this.code = code;
    this.details = details;
  }
}

/** How Slack says what is wrong with the arguments. */
export const argumentsError = (code: string, problems: readonly string[]): SlackError =>
  new SlackError(code, { response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) } });
