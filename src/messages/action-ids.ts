/** Our buttons and forms, by Slack's `action_id`, `block_id` and `callback_id`. Data never travels in them. */
export const ACTION = {
  start: 'start',
  watch: 'watch',
  watchWith: 'watch_with',
  watchHere: 'watch_here',
  watchHereWith: 'watch_here_with',
  watchJoin: 'watch_join',
  visitor: 'visitor',
  findMore: 'find_more',
  findPrevious: 'find_previous',
  findRetry: 'find_retry',
  helpShowUp: 'help_show_up',
  watchRetry: 'watch_retry',
  visitorRetry: 'visitor_retry',
  stopRetry: 'stop_retry',
  helpMore: 'help_more',
  agentMore: 'agent_more',
  proxy: 'proxy',
  proxyHere: 'proxy_here',
  deleteVisitor: 'delete_visitor',
  deleteOffline: 'delete_offline',
  deleteRetry: 'delete_retry',
  visitorSearch: 'visitor_search',
  stop: 'stop',
  onIt: 'on_it',
  tellOnline: 'tell_online',
  cancelTellOnline: 'cancel_tell_online',
  askColleague: 'ask_colleague',
  watchAsked: 'watch_asked',
  askChannel: 'ask_channel',
  takeAsk: 'take_ask',
  openLink: 'open_link',
  watchAgain: 'watch_again',
  outcome: 'outcome',
  addNote: 'add_note',
  followUpDone: 'follow_up_done',
  followUpLater: 'follow_up_later',
  followUpHand: 'follow_up_hand',
  moreFollowUps: 'more_follow_ups',
  auditMore: 'audit_more',
  auditFile: 'audit_file',
  auditLines: 'audit_lines',
  sessionsMore: 'sessions_more',
  sessionsFile: 'sessions_file',
  unsubscribe: 'unsubscribe',
  resumeSubscription: 'resume_subscription',
  moreSubscriptions: 'more_subscriptions',
  setUpSubscription: 'set_up_subscription',
  setUpDigest: 'set_up_digest',
  setUpWaits: 'set_up_waits',
  editSubscription: 'edit_subscription',
} as const;

/** At most one each. */
export const OPEN_RECORD = Array.from({ length: 5 }, (_one, index) => `open_record_${index}`);

export const DELETE_FORM = {
  callbackId: 'delete_offline_form',
  block: 'typed',
  action: 'typed_value',
} as const;

export const STOP_FORM = { callbackId: 'stop_form', reasonBlock: 'reason', reason: 'reason_value' } as const;

export const ASK_FORM = {
  callbackId: 'ask_form',
  channelCallbackId: 'ask_channel_form',
  personBlock: 'person',
  reasonBlock: 'reason',
  input: 'ask_input',
} as const;

export const NOTE_FORM = { callbackId: 'note_form', noteBlock: 'note', note: 'note_value' } as const;

export const FOLLOW_UP_FORM = {
  setCallbackId: 'follow_up_form',
  laterCallbackId: 'follow_up_later_form',
  handCallbackId: 'follow_up_hand_form',
  whenBlock: 'when',
  dayBlock: 'day',
  timeBlock: 'time',
  lineBlock: 'line',
  personBlock: 'person',
  input: 'follow_up_input',
} as const;

export const SUBSCRIPTION_FORM = {
  newCallbackId: 'new_subscription_form',
  editCallbackId: 'edit_subscription_form',
  channelBlock: 'channel',
  contentBlock: 'content',
  timeBlock: 'time',
  peopleBlock: 'people',
  groupsBlock: 'groups',
  tagsBlock: 'tags',
  lengthBlock: 'length',
  input: 'input',
} as const;

export const START_FORM = {
  callbackId: 'start_form',
  visitorBlock: 'visitor',
  accessBlock: 'access',
  access: 'access_value',
  channelBlock: 'channel',
  channel: 'channel_value',
} as const;

export const FORM = {
  callbackId: 'shortcut_form',
  choiceBlock: 'choice',
  choice: 'choice_value',
  textBlock: 'text',
  text: 'text_value',
  notesBlock: 'notes',
  notes: 'notes_value',
} as const;

/** The common prefix leads them to one listener. */
export const HOME_ACTION = {
  search: 'home_search',
  refresh: 'home_refresh',
  followUps: 'home_follow_ups',
  sessions: 'home_sessions',
  settings: 'home_settings',
  editSettings: 'home_edit_settings',
  changeRule: 'home_change_rule',
  retryDelivery: 'home_retry_delivery',
  inviteApp: 'home_invite_app',
  dropDelivery: 'home_drop_delivery',
  previousDeliveries: 'home_previous_deliveries',
  nextDeliveries: 'home_next_deliveries',
  connectAccount: 'home_connect_account',
  disconnectAccount: 'home_disconnect_account',
  summaryChannel: 'home_summary_channel',
  ticketAddresses: 'home_ticket_addresses',
  recordLinks: 'home_record_links',
  namesInFiles: 'home_names_in_files',
  webhooks: 'home_webhooks',
  addWebhook: 'home_add_webhook',
  editWebhook: 'home_edit_webhook',
  testWebhook: 'home_test_webhook',
  rotateWebhook: 'home_rotate_webhook',
  removeWebhook: 'home_remove_webhook',
  resumeWebhook: 'home_resume_webhook',
  setAsideWebhooks: 'home_set_aside_webhooks',
  retryEvent: 'home_retry_event',
  dropEvent: 'home_drop_event',
} as const;

/** Slack wants different ids in one row. */
export const CHOOSE_ACCESS = {
  view: 'home_choose_view',
  point: 'home_choose_point',
  full: 'home_choose_full',
} as const;

export const SETTINGS_FORM = {
  callbackId: 'home_settings_form',
  mostBlock: 'most_power',
  usualBlock: 'usual_power',
  channelBlock: 'channel',
  channelAccessBlock: 'channel_power',
  input: 'home_settings_input',
  /** The channel has no access level of its own. */
  noAccess: 'none',
} as const;

export const ACCOUNT_FORM = {
  callbackId: 'home_account_form',
  kindBlock: 'kind',
  addressBlock: 'address',
  keyBlock: 'key',
  cloudAddressBlock: 'cloud_address',
  cloudKeyBlock: 'cloud_key',
  input: 'home_account_input',
  cloud: 'cloud',
  connected: 'connected',
  onPremise: 'on-premise',
} as const;

/** For summaries that have no channel. */
export const SUMMARY_CHANNEL_FORM = {
  callbackId: 'home_summary_channel_form',
  channelBlock: 'channel',
  input: 'home_summary_channel_input',
} as const;

/** What the addresses of tickets begin with. */
export const TICKET_FORM = {
  callbackId: 'home_ticket_form',
  addressesBlock: 'addresses',
  input: 'home_ticket_input',
} as const;

export const RECORD_FORM = { ...TICKET_FORM, callbackId: 'home_record_form' } as const;

/** The form shares the blocks of a subscription's that ask which sessions. */
export const WEBHOOK_FORM = {
  addCallbackId: 'home_add_webhook_form',
  editCallbackId: 'home_edit_webhook_form',
  addressBlock: 'address',
  eventsBlock: 'events',
  namesBlock: 'names',
  input: 'home_webhook_input',
  withNames: 'names',
} as const;

export const RULE_FORM = {
  callbackId: 'home_rule_form',
  whoBlock: 'who',
  usersBlock: 'users',
  groupsBlock: 'groups',
  channelsBlock: 'channels',
  input: 'home_rule_input',
  members: 'members',
  admins: 'admins',
} as const;
