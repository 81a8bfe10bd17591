import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What a license token allows: one watch link for this visitor and agent. */
export interface License {
  readonly visitorId: string;
  readonly agentId: string;
}

/** The license tokens of on-premise sessions: the cloud signs them, the installation accepts each once. */
export interface Licenses {
  readonly issue: (license: License) => string;
  /** Uses a token; otherwise says why it isn't valid for this link. */
  readonly spend: (token: string, license: License) => 'spent' | 'invalid' | 'expired' | 'used';
}

const payload = z
  .string()
  .transform((text) => Buffer.from(text, 'base64url').toString())
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ visitorId: z.string(), agentId: z.string(), expiresAt: z.number(), id: z.string() }));

export function createLicenses(options: {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly lifetimeMs: number;
}): Licenses {
  const { now, randomId, lifetimeMs } = options;
  const key = randomId();
  const spent = new Set<string>();
  const sign = (text: string) => createHmac('sha256', key).update(text).digest();

  return {
    issue({ visitorId, agentId }) {
      const content = { visitorId, agentId, expiresAt: now().getTime() + lifetimeMs, id: randomId() };
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${text}.${sign(text).toString('base64url')}`;
    },
    spend(token, { visitorId, agentId }) {
      const [text = '', signature = ''] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const wanted = sign(text);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'invalid';
      const license = payload.parse(text);
      if (license.visitorId !== visitorId || license.agentId !== agentId) return 'invalid';
      if (license.expiresAt <= now().getTime()) return 'expired';
      if (spent.has(token)) return 'used';
      spent.add(token);
      return 'spent';
    },
  };
}
