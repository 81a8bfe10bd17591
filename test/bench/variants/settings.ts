import { z } from 'zod';

/** The settings of the app that the bare programs need. */
export const settings = z
  .object({
    SLACK_SIGNING_SECRET: z.string(),
    SLACK_BOT_TOKEN: z.string(),
    SLACK_API_URL: z.string(),
    COBROWSE_BASE_URL: z.string(),
    COBROWSE_API_KEY: z.string(),
    PUBLIC_URL: z.string(),
    SECRET_KEYS: z.string(),
    STORE_URL: z.string().transform((url) => url.slice('sqlite:'.length)),
  })
  .parse(process.env);
