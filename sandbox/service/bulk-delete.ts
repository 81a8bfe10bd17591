import { removeVisitor, type World } from './world.ts';

/** Deletes all offline visitors in the background, as the service does: it says `ok` first and takes a while. */
export interface BulkDelete {
  readonly start: () => void;
  readonly stop: () => void;
}

/** Deletes one visitor every second. Whoever comes online before their turn is kept. Never keeps the process alive. */
export function createBulkDelete(world: World): BulkDelete {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  function stop() {
    clearInterval(timer);
    timer = undefined;
  }
  function deleteNext() {
    const visitor = world.visitors.find(waiting.shift() ?? '');
    if (visitor && !visitor.isOnline) removeVisitor(world, visitor);
    if (waiting.length === 0) stop();
  }

  return {
    start() {
      const offline = world.visitors.latest().filter((visitor) => !visitor.isOnline);
      waiting = offline.map((visitor) => visitor.fields.short_id);
      timer ??= setInterval(deleteNext, 1_000).unref();
    },
    stop,
  };
}
