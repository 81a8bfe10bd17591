import { extname } from 'node:path';

/** A file the app has uploaded. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  /** As announced before the upload, in bytes. */
  readonly length: number;
  /** Undefined until it's uploaded. */
  readonly bytes: Uint8Array | undefined;
}

/** The files of the workspace, and the URLs to upload them to. */
export interface Files {
  file(id: string): StoredFile | undefined;
  /** @returns the file's id, and the last part of its upload URL. */
  announce(file: Pick<StoredFile, 'name' | 'length'>): {
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
      keep({ ...announced, id, title: announced.name, mimetype, bytes: undefined });
      return { id, upload };
    },
    receive(upload, bytes) {
      const file = files.get(uploads.get(upload) ?? '');
      if (file === undefined || bytes.length !== file.length) return false;
      keep({ ...file, bytes });
      return true;
    },
    complete: (file, title) => keep({ ...file, title: title ?? file.title }),
  };
};

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.jsonl': 'text/plain',
  '.ndjson': 'text/plain',
  '.txt': 'text/plain',
};

const typeOf = (name: string): string => types[extname(name).toLowerCase()] ?? 'application/octet-stream';
