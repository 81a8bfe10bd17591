import { stateOf } from './element-state.ts';
import type { StoredFile } from './files.ts';
import type { Message } from './messages.ts';
import type { ViewState } from './page-api.ts';
import { type View, shownBlocks } from './views.ts';
import type { World } from './world.ts';

/** Messages, views and files as Web API methods return them and interactions contain them. */

type Body = Readonly<Record<string, unknown>>;

export const messageBody = (world: World, message: Message): Body => {
  const botId = world.user(message.user)?.botId;
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: world.homeOf(message.user).id,
    text: message.text,
    bot_id: botId,
    ...(message.user === world.app.botUser ? { app_id: world.app.id } : {}),
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    thread_ts: message.threadTs,
    ...(message.edited ? { edited: { user: message.user, ts: message.ts } } : {}),
    metadata: message.metadata,
    ...(message.files.length === 0 ? {} : { files: filesOf(world, message).map(fileBody) }),
  };
};

export const filesOf = (world: World, message: Message): readonly StoredFile[] =>
  message.files.flatMap((id) => world.files.file(id) ?? []);

/** The URLs of its content are left out: only the page can fetch it, and no token opens it. */
export const fileBody = (file: StoredFile): Body => ({
  id: file.id,
  name: file.name,
  title: file.title,
  mimetype: file.mimetype,
  size: file.length,
});

export const viewBody = (world: World, view: View, typed?: ViewState): Body => {
  const { private_metadata, callback_id } = 'home' in view ? view.home : view.modal;
  return {
    id: view.id,
    team_id: world.workspace.id,
    blocks: 'home' in view ? view.home.blocks : view.modal.blocks,
    private_metadata: private_metadata ?? '',
    callback_id: callback_id ?? '',
    state: { values: stateOf(shownBlocks(world, view), typed) },
    hash: view.hash,
    ...frameOf(view),
    app_id: world.app.id,
    external_id: '',
    app_installed_team_id: world.workspace.id,
    bot_id: world.app.botId,
  };
};

/** A Home tab has a modal's frame too, but an empty one: its title is Slack's. */
const frameOf = (view: View): Body =>
  'home' in view
    ? {
        type: 'home',
        title: { type: 'plain_text', text: 'View Title', emoji: true },
        clear_on_close: false,
        notify_on_close: false,
        close: null,
        submit: null,
        previous_view_id: null,
        root_view_id: view.id,
      }
    : {
        type: 'modal',
        title: view.modal.title,
        clear_on_close: false,
        notify_on_close: false,
        close: view.modal.close ?? null,
        submit: view.modal.submit ?? null,
        previous_view_id: view.previousId,
        root_view_id: view.rootId,
      };
