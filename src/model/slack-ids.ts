/*
 * What an id of Slack's is of, by its first letter.
 * Source: docs.slack.dev/reference/objects, conversation, user and usergroup objects.
 */

/** Not a direct message, whose id begins with D. */
export const isChannel = (id: string): boolean => /^[CG]/.test(id);
export const isPerson = (id: string): boolean => /^[UW]/.test(id);
export const isGroup = (id: string): boolean => id.startsWith('S');
