import { z } from 'zod';

const shortcut = z.looseObject({
  name: z.string(),
  type: z.enum(['message', 'global']),
  callback_id: z.string(),
  description: z.string(),
});

const command = z.looseObject({
  command: z.string().startsWith('/'),
  description: z.string(),
  usage_hint: z.string().default(''),
  should_escape: z.boolean().default(false),
});

const features = z.looseObject({
  app_home: z
    .looseObject({
      home_tab_enabled: z.boolean().default(false),
      messages_tab_read_only_enabled: z.boolean().default(false),
    })
    .prefault({}),
  slash_commands: z.array(command).default([]),
  shortcuts: z
    .array(shortcut)
    .default([])
    .refine((all) => ofType(all, 'global').length <= 5 && ofType(all, 'message').length <= 5, {
      error: 'Slack takes at most 5 global and 5 message shortcuts',
    }),
});

const settings = z
  .looseObject({
    event_subscriptions: z
      .looseObject({ request_url: z.url().optional(), bot_events: z.array(z.string()).default([]) })
      .prefault({}),
    interactivity: z.looseObject({ message_menu_options_url: z.url().optional() }).prefault({}),
    socket_mode_enabled: z.boolean().default(false),
  })
  .refine(
    ({ event_subscriptions: events, socket_mode_enabled: overSocket }) =>
      events.bot_events.length === 0 || events.request_url !== undefined || overSocket,
    { error: 'bot_events need a request_url, or Socket Mode', path: ['event_subscriptions'] },
  );

/** The parts of an app manifest that Slack uses here: commands, shortcuts, Home, events and the bot's scopes. */
export const manifestSchema = z
  .looseObject({
    features,
    settings: settings.prefault({}),
    oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
  })
  .transform((manifest) => ({
    commands: manifest.features.slash_commands,
    shortcuts: ofType(manifest.features.shortcuts, 'message'),
    globalShortcuts: ofType(manifest.features.shortcuts, 'global'),
    scopes: manifest.oauth_config.scopes.bot,
    homeTab: manifest.features.app_home.home_tab_enabled,
    messagesReadOnly: manifest.features.app_home.messages_tab_read_only_enabled,
    events: manifest.settings.event_subscriptions.bot_events,
    /** Over HTTP, the only place where Slack asks for the options of an external select. */
    optionsUrl: manifest.settings.interactivity.message_menu_options_url,
  }));

export type Manifest = z.output<typeof manifestSchema>;

const ofType = <S extends { readonly type: string }>(all: readonly S[], type: S['type']): readonly S[] =>
  all.filter((it) => it.type === type);
