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

/** The parts of an app manifest that Slack acts upon here: commands, shortcuts and the bot's scopes. */
export const manifestSchema = z
  .looseObject({
    features: z.looseObject({
      slash_commands: z.array(command).default([]),
      shortcuts: z.array(shortcut).default([]),
    }),
    oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
  })
  .transform((manifest) => ({
    commands: manifest.features.slash_commands,
    shortcuts: manifest.features.shortcuts.filter((it) => it.type === 'message'),
    scopes: manifest.oauth_config.scopes.bot,
  }));

export type Manifest = z.output<typeof manifestSchema>;
