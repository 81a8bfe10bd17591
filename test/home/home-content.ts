import fc from 'fast-check';
import type { HomeTab } from '../../src/home/view.ts';
import type { VisitorTools } from '../../src/messages/visitor-pieces.ts';
import { ACCESS_LEVELS, type Access } from '../../src/permissions/permissions.ts';
import { buttonsIn, readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

/** Buttons whose addresses are as long as the app's own. */
export const tools: VisitorTools = {
  canStop: true,
  at: new Date('2026-03-04T10:00:00Z'),
  targetsOf(visitorId) {
    const target = (access: Access) => ({
      value: JSON.stringify({ visitorId, access }),
      url: `https://cobrowse.example.com/watch/${'t'.repeat(600)}`,
    });
    return {
      usual: target('full'),
      choices: ACCESS_LEVELS.map((access) => ({ access, target: target(access) })),
    };
  },
};

const id = (first: string) => fc.stringMatching(/^[A-Z0-9]{2,20}$/).map((rest) => `${first}${rest}`);

/** Any rule, ids of all kinds. */
export const rules = fc.record({
  members: fc.boolean(),
  ids: fc.array(fc.oneof(id('U'), id('W'), id('S'), id('C'), id('G')), { maxLength: 80 }),
});

export const workspaceSettings = fc.record({
  maxAccess: fc.constantFrom(...ACCESS_LEVELS),
  defaultAccess: fc.constantFrom(...ACCESS_LEVELS),
  ticketPrefixes: fc.array(fc.string(), { maxLength: 20 }),
  recordLinks: fc.array(fc.string(), { maxLength: 5 }),
  namesInFiles: fc.boolean(),
  slackbot: fc.boolean(),
  channelAccess: fc.dictionary(id('C'), fc.constantFrom(...ACCESS_LEVELS), { maxKeys: 60 }),
  rules: fc.record({ watch: rules, stop: rules, delete: rules, usage: rules }),
});

export const problemsOf = (view: HomeTab) => problemsIn({ surface: 'home', payload: view });
export const words = ({ blocks }: HomeTab) => readable(blocks);
export const labels = ({ blocks }: HomeTab) => buttonsIn(blocks).map(({ text }) => text.text);
export const headings = ({ blocks }: HomeTab) =>
  blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []));
