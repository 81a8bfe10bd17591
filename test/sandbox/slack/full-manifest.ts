import manifest from '../../../manifest.json' with { type: 'json' };

/** The app's own manifest with everything the stand-in Slack knows switched on. */
export const fullManifest = {
  ...manifest,
  features: {
    ...manifest.features,
    app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
    shortcuts: [
      ...manifest.features.shortcuts.filter(({ type }) => type === 'message'),
      { name: 'Start co-browsing', type: 'global', callback_id: 'start', description: 'Pick a visitor' },
      { name: 'Ask for help', type: 'global', callback_id: 'help', description: 'Say what is wrong' },
    ],
  },
  oauth_config: {
    scopes: { bot: [...manifest.oauth_config.scopes.bot, 'files:write', 'usergroups:read', 'channels:read'] },
  },
  settings: {
    ...manifest.settings,
    event_subscriptions: {
      request_url: 'https://cobrowse.example.com/slack/events',
      bot_events: ['app_home_opened'],
    },
    interactivity: {
      ...manifest.settings.interactivity,
      message_menu_options_url: 'https://cobrowse.example.com/slack/events',
    },
  },
};
