import { z } from 'zod';

const webAddress = z.url({ protocol: /^https?$/ });
/** Public clients also send numbers. */
const personId = z.union([z.string().min(1), z.int()]).transform(String);
const agent = z.object({ id: personId, name: z.string().min(1) });

/** Body of POST /visitors/{visitor_id}/watch_url. Unknown fields are ignored, known ones must have their shape. */
export const watchLinkBody = z.object({
  agent,
  branding: z
    .object({
      naked: z.union([z.boolean(), z.literal('page_only')]).optional(),
      retry_url: webAddress.nullish(),
      on_end_url: webAddress.nullish(),
    })
    .optional(),
  // The name of one flag isn't public, so any name is accepted for a flag.
  permissions: z.record(z.string(), z.boolean()).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  webhook_url: webAddress.nullish(),
  initial_notes: z.string().optional(),
  viewer: z.object({ id: personId, name: z.string() }).optional(),
});

export type WatchLinkBody = z.infer<typeof watchLinkBody>;

/** Body of the on-premise POST /visitors/{visitor_id}/watch_url, which has neither webhook nor notes. */
export const onPremiseWatchLinkBody = watchLinkBody
  .omit({ webhook_url: true, initial_notes: true })
  .extend({ licenseToken: z.string().min(1).optional() });

/** Body of POST /proxy_sessions. */
export const proxySessionBody = z.object({
  initial_url: webAddress.optional(),
  allowed_domains: z.array(z.string()).optional(),
  branding: z.object({ retry_url: webAddress.nullish() }).optional(),
});

export type ProxySessionBody = z.infer<typeof proxySessionBody>;

/** Body of POST /onpremise/token. */
export const onPremiseTokenBody = z.object({ visitor_id: z.string().min(1), agent });
