import { ask } from './asking-channel.ts';

type Asking = Parameters<typeof ask>[1] & { readonly colleague: string };

export const askColleague = (sandbox: Parameters<typeof ask>[0], { colleague, ...asking }: Asking) =>
  ask(sandbox, asking, 'Ask a colleague', {
    person: { value: { type: 'users_select', selected_user: colleague } },
  });
