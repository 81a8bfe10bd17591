import { refusal } from './message.ts';

/** The answer to who asks from a workspace without the app, as people of other organizations do in a shared channel. */
export const notInstalled = refusal([
  'Co-browse isn’t installed in your workspace. In a channel that two organizations share, it works for the one that installed it.',
]);
