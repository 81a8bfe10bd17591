import type { ServerResponse } from 'node:http';

import type { ImageBlock, ImageElement, KnownBlock } from '@slack/types';

import type { Files } from './files.ts';
import type { ImageProxy } from './image-proxy.ts';
import type { Snapshot } from './page-api.ts';

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

/**
 * Only for people who see it: a picture in a message, a modal or a Home tab, a file in a message. Slack refuses blocks
 * whose picture it can't download; here such a picture is accepted, and its alt text is shown instead.
 */
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

const blocksOf = ({ messages, views, home }: Snapshot) => [
  ...messages.flatMap(({ blocks }) => blocks),
  ...views.flatMap(({ blocks }) => blocks),
  ...(home?.view?.blocks ?? []),
];

/** Every picture in the blocks: image blocks, and images in a context or beside a section. */
const picturesIn = (blocks: readonly KnownBlock[]): readonly (ImageBlock | ImageElement)[] =>
  blocks.flatMap((block) => {
    if (block.type === 'image') return [block];
    if (block.type === 'section' && block.accessory?.type === 'image') return [block.accessory];
    return block.type === 'context' ? block.elements.filter((element) => element.type === 'image') : [];
  });

const pictureAddresses = (blocks: readonly KnownBlock[]): readonly string[] =>
  picturesIn(blocks).flatMap((picture) => ('image_url' in picture ? picture.image_url : []));

const notFound = (response: ServerResponse): void => {
  response.writeHead(404, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end('Not found.');
};
