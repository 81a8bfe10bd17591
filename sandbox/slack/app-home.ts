import { viewBody } from './bodies.ts';
import { done, refused, type Interaction, type Outcome } from './interaction.ts';

/**
 * A person opens a tab of the app's Home. The app gets `app_home_opened` if its manifest subscribes to that; whatever
 * it does in response comes later, by views.publish.
 */
export const openHome = async (
  { world, manifest, homes, events }: Interaction,
  { as, tab = 'home' }: { readonly as: string; readonly tab?: 'home' | 'messages' | undefined },
): Promise<Outcome> => {
  const channel = world.directMessages(as);
  if (channel === undefined || !world.hasApp(as))
    return refused('The app is not installed in your workspace.');
  if (tab === 'home' && !manifest.homeTab) return refused('The app has no Home tab.');
  const published = homes.of(as);
  events.send({
    type: 'app_home_opened',
    user: as,
    channel: channel.id,
    event_ts: world.nextTs(),
    tab,
    ...(tab === 'messages' || published === undefined ? {} : { view: viewBody(world, published) }),
  });
  return done;
};
