import { ASK_FORM } from '../../src/messages/action-ids.ts';
import { ask } from './asking-channel.ts';

type Asking = Parameters<typeof ask>[1] & { readonly colleague: string };

export const askColleague = (sandbox: Parameters<typeof ask>[0], { colleague, ...asking }: Asking) =>
  ask(sandbox, asking, 'Ask a colleague', {
    [ASK_FORM.personBlock]: { [ASK_FORM.input]: { type: 'users_select', selected_user: colleague } },
  });
