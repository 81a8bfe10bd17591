/** The buttons and forms we draw, by Slack's `action_id`, `block_id` and `callback_id`. Data never travels in them. */
export const ACTION = {
  watch: 'watch',
  watchWith: 'watch_with',
  watchHere: 'watch_here',
  watchJoin: 'watch_join',
  visitor: 'visitor',
  findMore: 'find_more',
  agentMore: 'agent_more',
  proxy: 'proxy',
  proxyHere: 'proxy_here',
  deleteVisitor: 'delete_visitor',
  deleteOffline: 'delete_offline',
  visitorSearch: 'visitor_search',
  stop: 'stop',
  openLink: 'open_link',
  auditMore: 'audit_more',
  auditFile: 'audit_file',
  unsubscribe: 'unsubscribe',
  resumeSubscription: 'resume_subscription',
  moreSubscriptions: 'more_subscriptions',
} as const;

/** The form behind "Delete all offline visitors". */
export const DELETE_FORM = {
  callbackId: 'delete_offline_form',
  block: 'typed',
  action: 'typed_value',
} as const;

/** The form behind "Stop session". */
export const STOP_FORM = {
  callbackId: 'stop_form',
  reasonBlock: 'reason',
  reason: 'reason_value',
} as const;

/** The form of the global shortcut. */
export const START_FORM = {
  callbackId: 'start_form',
  visitorBlock: 'visitor',
  powerBlock: 'power',
  power: 'power_value',
  channelBlock: 'channel',
  channel: 'channel_value',
} as const;

/** The form that a message shortcut opens: what was found in the message, to choose or to correct. */
export const FORM = {
  callbackId: 'shortcut_form',
  choiceBlock: 'choice',
  choice: 'choice_value',
  textBlock: 'text',
  text: 'text_value',
  notesBlock: 'notes',
  notes: 'notes_value',
} as const;
