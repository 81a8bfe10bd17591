import http from 'node:http';

/** Preloaded into the app's process: a webhook is answered as soon as it's read, before anything is written. */
const WEBHOOK = '/webhooks/session-end/';
const emit: unknown = Reflect.get(http.Server.prototype, 'emit');
if (typeof emit !== 'function') throw new TypeError('A server emits.');

http.Server.prototype.emit = function emitEarly(this: http.Server, event: string, ...given: unknown[]) {
  const [request, response] = given;
  if (
    event === 'request' &&
    request instanceof http.IncomingMessage &&
    response instanceof http.ServerResponse &&
    request.url?.startsWith(WEBHOOK) === true
  )
    request.once('end', () => {
      response.writeHead(200).end();
      // The app's own answer comes too late.
      Object.assign(response, { writeHead: () => response, end: () => response });
    });
  return Boolean(Reflect.apply(emit, this, [event, ...given]));
};
