import { extname } from 'node:path';

/** A file the app has uploaded. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  /** A picture's alt text. */
  readonly altText: string;
  /** As announced before the upload, in bytes. */
  readonly length: number;
  /** Undefined until it's uploaded. */
  readonly bytes: Uint8Array | undefined;
  /** Whether `files.completeUploadExternal` was called: before that it can't be used. */
  readonly complete: boolean;
}

/** The files of the workspace, and the URLs to upload them to. */
export interface Files {
  file(id: string): StoredFile | undefined;
  /** @returns the file's id, and the last part of its upload URL. */
  announce(file: Pick<StoredFile, 'name' | 'length' | 'altText'>): {
    readonly id: string;
    readonly upload: string;
  };
  /** @returns false for an unknown URL, or if the size isn't the announced one. */
  receive(upload: string, bytes: Uint8Array): boolean;
  complete(file: StoredFile, title: string | undefined): StoredFile;
}

export const createFiles = (randomId: () => string): Files => {
  const files = new Map<string, StoredFile>();
  const uploads = new Map<string, string>();
  const keep = (file: StoredFile): StoredFile => {
    files.set(file.id, file);
    return file;
  };
  return {
    file: (id) => files.get(id),
    announce(announced) {
      const id = `F0${randomId()
        .replaceAll(/[^A-Za-z0-9]/gu, '0')
        .toUpperCase()}`;
      const upload = randomId();
      uploads.set(upload, id);
      const mimetype = typeOf(announced.name);
      keep({ ...announced, id, title: announced.name, mimetype, bytes: undefined, complete: false });
      return { id, upload };
    },
    receive(upload, bytes) {
      const file = files.get(uploads.get(upload) ?? '');
      if (file === undefined || bytes.length !== file.length) return false;
      keep({ ...file, bytes });
      return true;
    },
    complete: (file, title) => keep({ ...file, title: title ?? file.title, complete: true }),
  };
};

/** Whether the page can draw it as a picture. */
export const isPicture = ({ mimetype }: Pick<StoredFile, 'mimetype'>): boolean =>
  mimetype.startsWith('image/');

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.jsonl': 'text/plain',
  '.ndjson': 'text/plain',
  '.txt': 'text/plain',
};

const typeOf = (name: string): string => types[extname(name).toLowerCase()] ?? 'application/octet-stream';
