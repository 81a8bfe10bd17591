import { z } from 'zod';
import { DatabaseError, type DatabaseErrorKind } from './errors.ts';

const FailureSchema = z.object({ code: z.string(), errcode: z.number().optional() });

// Primary result codes, https://sqlite.org/rescode.html
const sqliteKinds: ReadonlyMap<number, DatabaseErrorKind> = new Map([
  [3, 'no-access'], // PERM
  [5, 'locked'], // BUSY
  [6, 'locked'], // LOCKED
  [8, 'no-access'], // READONLY
  [11, 'corrupt'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'no-access'], // CANTOPEN
  [26, 'corrupt'], // NOTADB
]);

const systemKinds: ReadonlyMap<string, DatabaseErrorKind> = new Map([
  ['ERR_INVALID_STATE', 'closed'], // what node:sqlite says of a closed database
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'no-access'],
  ['EPERM', 'no-access'],
  ['EROFS', 'no-access'],
  ['EISDIR', 'no-access'],
  ['ENOTDIR', 'no-access'],
  ['EEXIST', 'no-access'],
  ['ENOENT', 'no-access'],
]);

/** What an error of node:sqlite or node:fs means; `cause` is that error. */
export function toDatabaseError(cause: unknown): DatabaseError {
  if (cause instanceof DatabaseError) return cause;
  const failure = FailureSchema.safeParse(cause);
  if (!failure.success) return new DatabaseError('failed', cause);
  const { code, errcode } = failure.data;
  // The low byte of an extended result code is the primary one.
  const kind = errcode === undefined ? systemKinds.get(code) : sqliteKinds.get(errcode & 0xff);
  return new DatabaseError(kind ?? 'failed', cause);
}
