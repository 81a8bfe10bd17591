/*
 * What a Slack id belongs to, by its first letter. Source: docs.slack.dev/reference/objects, conversation, user and
 * usergroup objects.
 */

/** Not a direct message, whose id starts with D. */
export const isChannel = (id: string): boolean => /^[CG]/.test(id);
export const isPerson = (id: string): boolean => /^[UW]/.test(id);
export const isGroup = (id: string): boolean => id.startsWith('S');
