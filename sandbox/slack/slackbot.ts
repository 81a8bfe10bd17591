import type { KnownBlock } from '@slack/types';
import { z } from 'zod';

import { blocksProblems, isMessageBlocks } from './block-kit.ts';
import { refused, type Interaction, type Refusal } from './interaction.ts';

/** What Slackbot renders. Source: docs.slack.dev/ai/slackbot-mcp-client, Block Kit in tool responses. */
const RENDERED = new Set([
  'actions',
  'card',
  'carousel',
  'container',
  'context',
  'data_table',
  'data_visualization',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'markdown',
  'rich_text',
  'section',
  'table',
  'video',
]);

const Button = z.object({ type: z.literal('button'), action_id: z.string(), value: z.string().max(2_000) });
const Value = z
  .string()
  .transform((text) => z.record(z.string(), z.unknown()).safeParse(parsed(text)).success);

/** Why Slackbot drops all blocks of an answer; empty if it renders them. @param tools that it knows */
export function slackbotProblems(blocks: unknown, tools: readonly string[]): readonly string[] {
  const problems = [...blocksProblems(blocks)];
  if (problems.length > 0 || !isMessageBlocks(blocks)) return problems;
  const ids = blocks.flatMap(({ block_id: id }) => id ?? []);
  if (new Set(ids).size < ids.length) problems.push('two blocks of one id');
  for (const block of blocks) {
    if (!RENDERED.has(block.type)) problems.push(`a block that it doesn’t render: ${block.type}`);
    const within = block.type === 'actions' ? block.elements : 'accessory' in block ? [block.accessory] : [];
    const elements = within.filter((one) => one !== undefined);
    const buttons = elements.flatMap((one) => Button.safeParse(one).data ?? []);
    if (buttons.length < elements.length) problems.push('an element that is no button, or has no value');
    if (new Set(buttons.map(({ action_id: id }) => id)).size < buttons.length)
      problems.push('two buttons of one action in a block');
    for (const { action_id: id, value } of buttons) {
      if (!tools.some((name) => id === `tool:${name}`)) problems.push(`a button for no tool: ${id}`);
      if (!Value.parse(value)) problems.push(`a value that is no JSON object: ${value}`);
    }
  }
  return problems;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Listed = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }),
      annotations: z.object({ readOnlyHint: z.boolean().default(false) }).prefault({}),
    }),
  ),
});
const Answer = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  _meta: z.object({ slack: z.object({ blocks: z.unknown() }) }).optional(),
});
const Reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

export interface SlackbotSaid {
  readonly ok: true;
  readonly tools: z.output<typeof Listed>['tools'];
  /** If a tool was called. */
  readonly answer?: { readonly text: string; readonly blocks: readonly KnownBlock[] };
}

let requests = 0;

/** A person asks Slackbot: it lists the app's tools, and calls one if it's named. */
export async function askSlackbot(
  { askMcp, world }: Pick<Interaction, 'askMcp' | 'world'>,
  { as, tool, args = {} }: { readonly as: string; readonly tool?: string; readonly args?: object },
): Promise<SlackbotSaid | Refusal> {
  const slack = { user_id: as, team_id: world.workspace.id };
  const ask = async (method: string, params: object) => {
    const answer = await askMcp({ jsonrpc: '2.0', id: (requests += 1), method, params });
    const { result, error } = Reply.catch({}).parse(answer);
    return error === undefined ? result : Promise.reject(new Error(error.message));
  };
  try {
    const { tools } = Listed.parse(await ask('tools/list', {}));
    if (tool === undefined) return { ok: true, tools };
    const said = Answer.parse(await ask('tools/call', { name: tool, arguments: args, _meta: { slack } }));
    const blocks = said._meta?.slack.blocks;
    const problems = slackbotProblems(
      blocks,
      tools.map(({ name }) => name),
    );
    const dropped = problems.map((problem) => `Slackbot dropped the blocks: ${problem}`);
    const text = [...said.content.map((part) => part.text), ...dropped].join('\n');
    return {
      ok: true,
      tools,
      answer: { text, blocks: problems.length === 0 && isMessageBlocks(blocks) ? blocks : [] },
    };
  } catch (error) {
    return refused(`Slackbot couldn’t ask the app. ${error instanceof Error ? error.message : ''}`);
  }
}
