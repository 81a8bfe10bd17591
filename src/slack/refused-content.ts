import { slackErrorCode } from '../workspaces/web-client.ts';

/** Codes about what was sent, not about where. Source: chat.postMessage and views.update, Errors. */
const ABOUT_CONTENT = new Set([
  'attachment_payload_limit_exceeded',
  'cannot_parse_attachment',
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_payload',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'view_too_large',
]);

/** A response URL refused the message. */
export class ResponseAddressError extends Error {
  override readonly name = 'ResponseAddressError';
  readonly status: number;
  /** From Slack; undefined if it gave none. */
  readonly code: string | undefined;
  constructor(status: number, code: string | undefined) {
    super(`Slack answered ${status}, ${code ?? 'without a code'}`);
    this.status = status;
    this.code = code;
  }
}

/** Whether Slack refused the content, so that something simpler may be shown in the same place. */
export function isContentRefused(error: unknown): boolean {
  const code = error instanceof ResponseAddressError ? error.code : slackErrorCode(error);
  if (code !== undefined) return ABOUT_CONTENT.has(code);
  return error instanceof ResponseAddressError && error.status === 400;
}
