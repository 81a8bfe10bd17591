import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { StandInOAuth } from '../../sandbox/slack/oauth.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { personIn } from '../support/person.ts';

const ENTITIES = new Map(Object.entries({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }));
const unescaped = (html: string) => html.replaceAll(/&([a-z0-9#]+);/g, (_, name) => ENTITIES.get(name) ?? '');

/** The hidden fields of a page's form. */
const fieldsOf = (html: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(
      html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g),
      ([, name = '', value = '']) => [name, unescaped(value)],
    ),
  );

/** A browser that keeps cookies, and sends them to every port of this machine. */
function createBrowser() {
  const jar = new Map<string, string>();
  return {
    jar,
    async open(url: string, init: RequestInit = {}): Promise<Response> {
      const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        jar.set(name, value);
      }
      return answer;
    },
  };
}

const goal = (answer: Response) => answer.headers.get('location') ?? '';

/** Goes the whole way from the app's install page, as somebody in this workspace. @returns what the app says in the end */
export async function install(
  {
    publicUrl,
    many,
  }: {
    readonly publicUrl: string;
    readonly many: { readonly oauth: Pick<StandInOAuth, 'authorizeUrl'> } | undefined;
  },
  { workspace }: StandInSlack,
  { as, answer = 'allow' }: { readonly as: string; readonly answer?: 'allow' | 'cancel' },
): Promise<Response> {
  const browser = createBrowser();
  browser.jar.set('signed-in', `${workspace.id}.${as}`);
  const consent = await browser.open(goal(await browser.open(`${publicUrl}/slack/install`)));
  const body = new URLSearchParams({ ...fieldsOf(await consent.text()), answer });
  const agreed = await browser.open(many?.oauth.authorizeUrl ?? '', { method: 'POST', body });
  return browser.open(goal(agreed));
}

/** The organization that installed the app gives it to the workspace: from then on it answers there. */
export async function giveAccess(slack: StandInSlack): Promise<void> {
  slack.changeAccess(true);
  const alex = personIn({ slack });
  while ((await alex.type('/cobrowse help')).text.includes('isn’t installed'));
}

/** Connects a workspace's own account of the service in the cloud, as its admin does in the Home tab. */
export async function connect(
  slack: StandInSlack,
  { url, apiKey }: Pick<Sandbox['service'], 'url' | 'apiKey'>,
): Promise<void> {
  const ada = atHome({ slack }, ADA);
  await ada.open();
  await ada.press(/^Connect/);
  const form = await slack.until(ADA, ({ views }) =>
    views.find(({ title, submit }) => title === 'Co-browsing account' && submit !== undefined),
  );
  await ada.saved(form, {
    kind: 'cloud',
    address: url,
    key: apiKey,
  });
}
