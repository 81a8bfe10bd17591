import type { ImageBlock, ImageElement, KnownBlock } from '@slack/types';

import { type Files, isPicture } from './files.ts';
import { argumentsError } from './slack-error.ts';

/** Every picture in the blocks: image blocks, and images in a context or beside a section. */
const picturesIn = (blocks: readonly KnownBlock[]): readonly (ImageBlock | ImageElement)[] =>
  blocks.flatMap((block) => {
    if (block.type === 'image') return [block];
    if (block.type === 'section' && block.accessory?.type === 'image') return [block.accessory];
    return block.type === 'context' ? block.elements.filter((element) => element.type === 'image') : [];
  });

/** The addresses of the pictures. */
export const pictureAddresses = (blocks: readonly KnownBlock[]): readonly string[] =>
  picturesIn(blocks).flatMap((picture) => ('image_url' in picture ? picture.image_url : []));

/** Slack's own files that are shown as pictures. */
export const pictureFiles = (blocks: readonly KnownBlock[]): readonly string[] =>
  picturesIn(blocks).flatMap((picture) =>
    'slack_file' in picture && 'id' in picture.slack_file ? picture.slack_file.id : [],
  );

/**
 * Slack's check of the files that blocks show. Slack also refuses blocks whose `image_url` it can't download; here such
 * a picture is accepted, and its alt text is shown instead.
 *
 * @throws {SlackError} with `code`, if a file doesn't exist or isn't a picture.
 */
export const checkFiles = (files: Files, blocks: readonly KnownBlock[], code: string): void => {
  const unfit = pictureFiles(blocks).filter((id) => {
    const file = files.file(id);
    return file?.complete !== true || !isPicture(file);
  });
  if (unfit.length === 0) return;
  throw argumentsError(
    code,
    unfit.map((id) => `invalid slack file: ${id} [json-pointer:/blocks]`),
  );
};
