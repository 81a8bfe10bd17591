import type { DatabaseError } from './errors.ts';

/** Why the database can’t be opened, with its file and what the system said, for whoever starts the app. */
export function databaseFailureWords({ message, cause }: DatabaseError, file: string | undefined): string {
  return [
    message,
    ...(file === undefined ? [] : [`  File: ${file}`]),
    ...(cause instanceof Error ? [`  Cause: ${cause.message}`] : []),
  ].join('\n');
}
