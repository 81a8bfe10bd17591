import type { Server } from 'node:http';

/** Listens on loopback; port 0 is any free one. @returns the address, such as `http://127.0.0.1:3070` */
export const listen = async (server: Server, port: number): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
};

/** Doesn't wait for open requests: a hung one or an event stream would hold it up forever. */
export const stop = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
};
