import { refusal } from './message.ts';

/** For people in a workspace without the app, as in a channel that two organizations share. */
export const notInstalled = refusal([
  'Co-browse isn’t installed in your workspace. In a channel that two organizations share, it works for the one that installed it.',
]);
