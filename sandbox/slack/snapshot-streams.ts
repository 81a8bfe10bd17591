import type { ServerResponse } from 'node:http';

import type { Snapshot } from './page-api.ts';

/** The open pages: server-sent events tell each what its user sees. */
export interface SnapshotStreams {
  open(response: ServerResponse, userId: string): void;
  readonly close: () => void;
}

/** After a reset the page finds the next server soon. */
const reconnectMs = 300;

export const createSnapshotStreams = (options: {
  readonly snapshot: (userId: string) => Snapshot;
  readonly onChange: (listener: () => void) => () => void;
}): SnapshotStreams => {
  const streams = new Set<ServerResponse>();
  return {
    open(response, userId) {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
      });
      response.write(`retry: ${reconnectMs}\n\n`);
      let due = false;
      const send = (): void => {
        due = false;
        if (response.writableEnded) return;
        response.write(`event: snapshot\ndata: ${JSON.stringify(options.snapshot(userId))}\n\n`);
      };
      // Many changes in one turn make one snapshot.
      const forget = options.onChange(() => {
        if (!due) setImmediate(send);
        due = true;
      });
      streams.add(response);
      response.on('close', () => {
        forget();
        streams.delete(response);
      });
      send();
    },
    close() {
      for (const response of streams) response.end();
    },
  };
};
