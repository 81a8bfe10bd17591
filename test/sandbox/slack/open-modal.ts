import { alex, startBoth, support } from './tiny-app.ts';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';

/** A Slack whose Alex has just typed a command: `trigger` gives leave to open a modal. */
export const startWithTrigger = async (options: Partial<SlackOptions> = {}) => {
  const both = await startBoth(options);
  const trigger = async (): Promise<string> => {
    await both.slack.command({ as: alex, channel: support, text: '/cobrowse find' });
    return both.app.last().form['trigger_id'] ?? '';
  };
  return { ...both, trigger };
};

/** The same with a modal open. */
export const startWithModal = async (view: object, options: Partial<SlackOptions> = {}) => {
  const both = await startWithTrigger(options);
  const opened = await both.call('views.open', { trigger_id: await both.trigger(), view });
  return { ...both, view_id: opened.view?.id ?? '', hash: opened.view?.hash ?? '' };
};
