import { problem } from './message.ts';

export const outdatedButton = problem([
  'This button is from another version of the app. Run the command again.',
]);

export const outdatedForm = problem(['This is from another version of the app. Close this and try again.']);
