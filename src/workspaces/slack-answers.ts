import { z } from 'zod';

/*
 * The parts of the Web API's answers that we read. What Slack has nothing to say about is left out, or null, whatever the types
 * say. Source: docs.slack.dev/reference/methods, Example responses.
 */

const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const text = maybe(z.string());
const flag = maybe(z.boolean());
const texts = maybe(z.array(z.string()));
const Next = maybe(z.object({ next_cursor: text }));

export const AuthTested = z.object({
  team_id: text,
  bot_id: text,
  user_id: text,
  url: text,
  response_metadata: maybe(z.object({ scopes: texts })),
});

export const UserFound = z.object({
  user: maybe(
    z.object({
      team_id: text,
      name: text,
      real_name: text,
      deleted: flag,
      is_admin: flag,
      is_owner: flag,
      is_restricted: flag,
      is_ultra_restricted: flag,
      is_bot: flag,
      is_stranger: flag,
      tz: text,
      tz_offset: maybe(z.number()),
      locale: text,
      enterprise_user: maybe(z.object({ teams: texts })),
      profile: maybe(z.object({ display_name: text, real_name: text, email: text })),
    }),
  ),
});
export type SlackUser = NonNullable<z.infer<typeof UserFound>['user']>;

export const ChannelFound = z.object({
  channel: maybe(
    z.object({
      name: text,
      is_archived: flag,
      is_member: flag,
      is_channel: flag,
      is_private: flag,
      is_ext_shared: flag,
      is_pending_ext_shared: flag,
    }),
  ),
});
export type SlackChannel = Partial<NonNullable<z.infer<typeof ChannelFound>['channel']>>;

/** Without a list of members nobody would be seen to be one. */
export const MembersPage = z.object({ members: z.array(z.string()), response_metadata: Next });
export type MembersPage = z.infer<typeof MembersPage>;

export const OwnChannels = z.object({ channels: maybe(z.array(z.object({ id: text }))) });

export const GroupMembers = z.object({ users: texts });

export const Groups = z.object({
  usergroups: maybe(z.array(z.object({ id: text, name: text, handle: text }))),
});

export const MessagesPage = z.object({ messages: maybe(z.array(z.unknown())), response_metadata: Next });
export type MessagesPage = z.infer<typeof MessagesPage>;

/** A message is posted whatever else Slack says about it. */
export const Posted = z.object({ ts: text.catch(undefined), channel: text.catch(undefined) });

export const Opened = z.object({ channel: maybe(z.object({ id: text })) });

export const ViewOpened = z.object({ view: maybe(z.object({ id: text })) });

export const UploadOpened = z.object({ upload_url: z.string(), file_id: z.string() });

export const Permalink = z.object({ permalink: text });

export const ConnectionOpened = z.object({ url: text });
