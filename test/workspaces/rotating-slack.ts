import { FORM, signedHeaders } from '../support/signed.ts';
import { ACME, granted, known, slackFor, type Answers } from './install-stage.ts';

/** How long Slack's tokens last. */
export const SECONDS = 43_200;
const ALEX = 'U0ALEX00001';

/**
 * Slack's answers where tokens end, as strict as it may be: a refresh ends both that were there, even if its answer is lost.
 * @param firstSeconds how long the token of an installation lasts
 */
export function rotating(firstSeconds = SECONDS) {
  let number = 0;
  let hasEnded = false;
  let isOn = false;
  let way: 'answers' | 'refuses' | 'loses' | 'is away' = 'answers';
  const token = () => `xoxe.xoxb-1-topsecret${number}`;
  const refreshToken = () => `xoxe-1-topsecret${number}`;
  function newPair() {
    number += 1;
    hasEnded = false;
    return { access_token: token(), refresh_token: refreshToken(), expires_in: SECONDS };
  }
  function next() {
    if (way === 'is away') return undefined;
    const pair = newPair();
    return way === 'loses' ? undefined : pair;
  }
  const ifGood =
    (answer: object): Answers[string] =>
    ({ token: asked }) => {
      if (asked === token() && !hasEnded) return answer;
      return { ok: false, error: asked === token() ? 'token_expired' : 'token_revoked' };
    };
  const answers: Answers = {
    'oauth.v2.access': ({ args }) => {
      if (args['grant_type'] === undefined) return { ...granted, ...newPair(), expires_in: firstSeconds };
      return args['refresh_token'] === refreshToken() && way !== 'refuses'
        ? next()
        : { ok: false, error: 'invalid_refresh_token' };
    },
    // Once for a token that doesn't end.
    'oauth.v2.exchange': ({ args }) => {
      if (!isOn) return { ok: false, error: 'token_rotation_not_enabled' };
      if (args['token']?.startsWith('xoxe') !== false) return { ok: false, error: 'token_already_exchanged' };
      return next();
    },
    'auth.test': ifGood(known),
    'conversations.members': ifGood({ members: [ALEX] }),
    'users.info': ifGood({ user: { id: ALEX, team_id: ACME, name: 'alex', profile: {} } }),
  };
  return {
    answers,
    token,
    refreshToken,
    end: () => void (hasEnded = true),
    turnOn: () => void (isOn = true),
    from: (how: typeof way) => void (way = how),
  };
}

export const refreshesOf = ({ calls }: Pick<Awaited<ReturnType<typeof slackFor>>, 'calls'>): number =>
  calls.filter(({ args }) => args['grant_type'] === 'refresh_token').length;

export async function rotatingSlack() {
  const tokens = rotating();
  const slack = await slackFor(tokens.answers);
  return { ...tokens, ...slack, refreshes: () => refreshesOf(slack) };
}

/** Sends a command, and waits for its last answer. @param id unlike any other of the test's */
export async function typed(
  { apiUrl, calls }: Pick<Awaited<ReturnType<typeof slackFor>>, 'apiUrl' | 'calls'>,
  { publicUrl, id, at }: { readonly publicUrl: string; readonly id: string; readonly at?: number },
  text = 'usage',
): Promise<() => string> {
  const body = new URLSearchParams({
    command: '/cobrowse',
    text,
    team_id: ACME,
    user_id: ALEX,
    channel_id: 'C0SUPPORT01',
    trigger_id: id,
    response_url: `${apiUrl}${id}`,
  }).toString();
  const headers = { 'content-type': FORM, ...signedHeaders('signing-secret', body, at) };
  await fetch(`${publicUrl}/slack/events`, { method: 'POST', headers, body });
  return () => calls.findLast(({ method }) => method === id)?.body ?? '';
}
