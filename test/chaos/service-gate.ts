import { z } from 'zod';
import type { Answer, Between } from './front.ts';

interface ServiceGateParts {
  /** Told of each watch link before the app gets it; the app waits for the answer. */
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  /** Whether the service lists a session no more. */
  readonly isHidden: (sessionId: string) => boolean;
}

const LINK_REQUEST = /\/visitors\/([^/]+)\/watch_url/u;
const LinkReply = z.object({ watch_url: z.string() });
const Listed = z.looseObject({ id: z.string() });

/**
 * Between the app and the service: shows watch links to the test on their way back, and takes hidden sessions out of
 * what the service lists, so that asking for them heals nothing.
 */
export function createServiceGate({ onLink, isHidden }: ServiceGateParts): Between {
  const isListed = (session: unknown) => {
    const read = Listed.safeParse(session);
    return !(read.success && isHidden(read.data.id));
  };
  function withoutHidden(answer: Answer): Answer {
    const json: unknown = JSON.parse(answer.body.toString(), (key, value: unknown) =>
      key === 'sessions' && Array.isArray(value) ? value.filter(isListed) : value,
    );
    return { ...answer, body: Buffer.from(JSON.stringify(json)) };
  }

  return async (asked, passOn) => {
    const answer = await passOn(asked);
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    if (answer.status !== 200 || !isJson) return answer;
    const [, visitorId] = LINK_REQUEST.exec(asked.path) ?? [];
    try {
      if (visitorId === undefined) return withoutHidden(answer);
      const reply = LinkReply.safeParse(JSON.parse(answer.body.toString()));
      if (reply.success) await onLink(visitorId, reply.data.watch_url);
    } catch (error) {
      // The service talks nonsense now and then: the app is to get that as it is.
      if (!(error instanceof SyntaxError)) throw error;
    }
    return answer;
  };
}
