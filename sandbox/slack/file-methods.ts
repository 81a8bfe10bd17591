import { z } from 'zod';

import { fileBody } from './bodies.ts';
import { threadFor, writableChannel } from './chat-methods.ts';
import type { StoredFile } from './files.ts';
import { SlackError } from './slack-error.ts';
import { webMethod, type WebMethod } from './web-method.ts';
import type { World } from './world.ts';

const announced = z.object({
  filename: z.string().min(1),
  length: z.coerce.number().int().positive(),
});

const completed = z.object({
  files: z.array(z.object({ id: z.string(), title: z.string().optional() })).min(1),
  channel_id: z
    .string()
    .regex(/^[CGDZ][A-Z0-9]{8,}$/u, { error: 'input must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$' })
    .optional(),
  thread_ts: z.string().optional(),
  initial_comment: z.string().default(''),
});

/**
 * Uploads: the app asks for a URL, POSTs the content there, and completes the upload, which shares it. Slack shows a
 * shared file a moment later; here it's there immediately. Left out: snippets, several channels, blocks beside a file.
 *
 * @param base the stand-in Slack's address.
 */
export const fileMethods = (world: World, base: string): Readonly<Record<string, WebMethod>> => ({
  'files.getUploadURLExternal': webMethod(['files:write'], announced, ({ filename, length }) => {
    const { id, upload } = world.files.announce({ name: filename, length });
    return { upload_url: `${base}/upload/${upload}`, file_id: id };
  }),

  'files.completeUploadExternal': webMethod(['files:write'], completed, (args) => {
    const uploaded = args.files.map(({ id, title }) => ({ file: uploadedFile(world, id), title }));
    const channel = args.channel_id === undefined ? undefined : writableChannel(world, args.channel_id);
    const threadTs = channel && threadFor(world, channel, args.thread_ts);
    const files = uploaded.map(({ file, title }) => world.files.complete(file, title));
    if (channel !== undefined) {
      const draft = { channel: channel.id, user: world.app.botUser, threadTs };
      world.post({ ...draft, text: args.initial_comment, files: files.map(({ id }) => id) });
    }
    return { files: files.map(fileBody) };
  }),
});

const uploadedFile = (world: World, id: string): StoredFile => {
  const file = world.files.file(id);
  if (file?.bytes === undefined) throw new SlackError('file_not_found');
  return file;
};
