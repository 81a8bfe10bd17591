/** A refusal in Slack's own code, such as `channel_not_found`, with what else the answer's body holds. */
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

/** Slack's way to say what is wrong with the arguments. */
export const argumentsError = (code: string, problems: readonly string[]): SlackError =>
  new SlackError(code, { response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) } });
