import type { ServerResponse } from 'node:http';

import type { Files } from './files.ts';
import type { Snapshot } from './page-api.ts';

/** What the page offers besides its own files: the app's uploads. */
export interface PageFiles {
  /** Answers with a file, or 404. */
  sendFile(response: ServerResponse, userId: string, fileId: string): void;
}

// A file's content comes from the app, so whatever it is, it must not act as a page of this origin.
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** Only for people who see the message that it's in. */
export const createPageFiles = (options: {
  readonly files: Files;
  readonly snapshot: (userId: string) => Snapshot;
}): PageFiles => ({
  sendFile(response, userId, fileId) {
    const file = options.files.file(fileId);
    const isShown = options
      .snapshot(userId)
      .messages.some(({ files }) => files.some(({ id }) => id === fileId));
    if (file?.bytes === undefined || !isShown) return notFound(response);
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`;
    response
      .writeHead(200, { ...headers, 'content-type': file.mimetype, 'content-disposition': disposition })
      .end(file.bytes);
  },
});

const notFound = (response: ServerResponse): void => {
  response.writeHead(404, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end('Not found.');
};
