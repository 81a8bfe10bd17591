/** The Home tab's own buttons, by `action_id`. The common prefix leads them to one listener. */
export const HOME_ACTION = {
  search: 'home_search',
  refresh: 'home_refresh',
  settings: 'home_settings',
  editSettings: 'home_edit_settings',
  changeRule: 'home_change_rule',
  retryDelivery: 'home_retry_delivery',
  dropDelivery: 'home_drop_delivery',
  previousDeliveries: 'home_previous_deliveries',
  nextDeliveries: 'home_next_deliveries',
} as const;

/** The buttons that choose the default access: Slack wants different ids in one row. */
export const CHOOSE_ACCESS = {
  view: 'home_choose_view',
  point: 'home_choose_point',
  full: 'home_choose_full',
} as const;

/** The form of the access levels, by `callback_id`, `block_id` and `action_id`. */
export const SETTINGS_FORM = {
  callbackId: 'home_settings_form',
  mostBlock: 'most_power',
  usualBlock: 'usual_power',
  channelBlock: 'channel',
  channelAccessBlock: 'channel_power',
  /** The one input of each block. */
  input: 'home_settings_input',
  /** Instead of an access level, if the channel has none of its own. */
  noAccess: 'none',
} as const;

/** The form of who may do one thing. */
export const RULE_FORM = {
  callbackId: 'home_rule_form',
  whoBlock: 'who',
  usersBlock: 'users',
  groupsBlock: 'groups',
  channelsBlock: 'channels',
  /** The one input of each block. */
  input: 'home_rule_input',
  /** The two answers to who may. */
  members: 'members',
  admins: 'admins',
} as const;
