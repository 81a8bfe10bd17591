import { SlackError } from '@slack/web-api';
import { request, type Dispatcher } from 'undici';
import type { SendFile } from '../commands/record-file.ts';
import { Opened, UploadOpened } from '../workspaces/web-client.ts';
import type { Find } from './cached.ts';
import { callFailure } from './call-failure.ts';

/** Enough for our largest file over a slow line. */
const UPLOAD_WITHIN_MS = 60_000;

/** The address that Slack gave for the content refused it. */
class UploadError extends Error {
  override readonly name = 'UploadError';
  readonly reason: string;
  constructor(reason: string, cause?: unknown) {
    super(`The upload failed: ${reason}.`, { cause });
    this.reason = reason;
  }
}

async function upload(address: string, content: Buffer, dispatcher: Dispatcher): Promise<void> {
  const signal = AbortSignal.timeout(UPLOAD_WITHIN_MS);
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await request(address, {
    method: 'POST',
    headers,
    body: content,
    signal,
    dispatcher,
  }).catch((error: unknown) => {
    throw new UploadError('no_answer', error);
  });
  await answer.body.dump();
  if (answer.statusCode > 299) throw new UploadError(`http_${answer.statusCode}`);
}

/** Why Slack refused it; undefined if it isn't a failure of Slack's. */
function refusalIn(error: unknown): Awaited<ReturnType<SendFile>> | undefined {
  if (error instanceof UploadError) return { outcome: 'refused', reason: error.reason };
  if (!(error instanceof SlackError)) return undefined;
  const failure = callFailure(error);
  const scope = failure.outcome === 'never' ? failure.neededScope : undefined;
  return { outcome: 'refused', reason: failure.reason, scope };
}

/**
 * Sends a file to a person's direct messages with the app. Source: files.getUploadURLExternal,
 * files.completeUploadExternal (scope files:write) and conversations.open (im:write).
 */
export function createFileSender(find: Find<'slack'>, slackAgent: Dispatcher): SendFile {
  return async function sendFile({ workspaceId, userId }, { name, title, comment, content }) {
    const workspace = await find(workspaceId);
    if (workspace === undefined) return { outcome: 'refused', reason: 'not_installed' };
    const { conversations, files } = workspace.slack;
    try {
      const { channel } = Opened.parse(await conversations.open({ users: userId }));
      const { upload_url: address, file_id: id } = UploadOpened.parse(
        await files.getUploadURLExternal({ filename: name, length: content.length }),
      );
      await upload(address, content, slackAgent);
      await files.completeUploadExternal({
        files: [{ id, title }],
        channel_id: channel?.id ?? '',
        initial_comment: comment,
      });
      return { outcome: 'sent' };
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  };
}
