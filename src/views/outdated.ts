import { notice } from './message.ts';

export const outdatedButton = notice([
  'This button is from another version of the app. Run the command again.',
]);

export const outdatedForm = notice(['This is from another version of the app. Close this and try again.']);
