import type { ServerResponse } from 'node:http';

import { type Files, isPicture } from './files.ts';
import type { ImageProxy } from './image-proxy.ts';
import type { Snapshot } from './page-api.ts';
import { pictureAddresses, pictureFiles } from './pictures.ts';

/** What the page shows or offers besides its own files: pictures in blocks, and the app's uploads. */
export interface PageFiles {
  /** Answers with the picture at an address, or 404. */
  sendPicture(response: ServerResponse, userId: string, address: string): Promise<void>;
  /** Answers with a file, or 404. */
  sendFile(response: ServerResponse, userId: string, fileId: string): void;
}

// A file's content comes from the app, so whatever it is, it must not act as a page of this origin.
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** Only for people who see it in a message, a modal or a Home tab. */
export const createPageFiles = (options: {
  readonly files: Files;
  readonly snapshot: (userId: string) => Snapshot;
  readonly fetchPicture: ImageProxy;
}): PageFiles => ({
  async sendPicture(response, userId, address) {
    const isShown = pictureAddresses(blocksOf(options.snapshot(userId))).includes(address);
    const picture = isShown ? await options.fetchPicture(address) : undefined;
    if (picture === undefined) return notFound(response);
    response.writeHead(200, { ...headers, 'content-type': picture.type }).end(picture.bytes);
  },

  sendFile(response, userId, fileId) {
    const file = options.files.file(fileId);
    const isShown = filesIn(options.snapshot(userId)).includes(fileId);
    if (file?.bytes === undefined || !isShown) return notFound(response);
    const name = encodeURIComponent(file.name);
    const disposition = isPicture(file) ? 'inline' : `attachment; filename*=UTF-8''${name}`;
    response
      .writeHead(200, { ...headers, 'content-type': file.mimetype, 'content-disposition': disposition })
      .end(file.bytes);
  },
});

const blocksOf = ({ messages, views, home }: Snapshot) => [
  ...messages.flatMap(({ blocks }) => blocks),
  ...views.flatMap(({ blocks }) => blocks),
  ...(home?.view?.blocks ?? []),
];

const filesIn = (snapshot: Snapshot): readonly string[] => [
  ...snapshot.messages.flatMap(({ files }) => files.map(({ id }) => id)),
  ...pictureFiles(blocksOf(snapshot)),
];

const notFound = (response: ServerResponse): void => {
  response.writeHead(404, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end('Not found.');
};
