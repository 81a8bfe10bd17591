/** The buttons and forms we draw, by Slack's `action_id`, `block_id` and `callback_id`. Data never travels in them. */
export const ACTION = {
  watch: 'watch',
  watchWith: 'watch_with',
  visitor: 'visitor',
  findMore: 'find_more',
  stop: 'stop',
  openLink: 'open_link',
} as const;

/** The form that a message shortcut opens: what was found in the message, to choose or to correct. */
export const FORM = {
  callbackId: 'shortcut_form',
  choiceBlock: 'choice',
  choice: 'choice_value',
  textBlock: 'text',
  text: 'text_value',
} as const;
