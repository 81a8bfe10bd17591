import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What a licence token allows: one watch link for this visitor and agent. */
export interface Licence {
  readonly visitorId: string;
  readonly agentId: string;
}

/** The licence tokens of on-premise sessions: the cloud signs them, the installation accepts each once. */
export interface Licences {
  readonly issue: (licence: Licence) => string;
  /** Uses a token; otherwise says why it isn't valid for this link. */
  readonly spend: (token: string, licence: Licence) => 'spent' | 'invalid' | 'expired' | 'used';
}

const payload = z
  .string()
  .transform((text) => Buffer.from(text, 'base64url').toString())
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ visitorId: z.string(), agentId: z.string(), expiresAt: z.number(), id: z.string() }));

export function createLicences(options: {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly lifetimeMs: number;
}): Licences {
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
      const licence = payload.parse(text);
      if (licence.visitorId !== visitorId || licence.agentId !== agentId) return 'invalid';
      if (licence.expiresAt <= now().getTime()) return 'expired';
      if (spent.has(token)) return 'used';
      spent.add(token);
      return 'spent';
    },
  };
}
