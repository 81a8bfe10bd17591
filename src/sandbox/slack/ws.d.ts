/** The part of the `ws` package that Socket Mode uses; the package itself comes without types. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket {
    readonly readyState: number;
    send(data: string): void;
    ping(): void;
    close(code?: number): void;
    terminate(): void;
    on(event: 'message', listener: (data: Buffer) => void): this;
    on(event: 'close' | 'error', listener: () => void): this;
  }

  export class WebSocketServer {
    constructor(options: { readonly noServer: true; readonly maxPayload: number });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      done: (client: WebSocket) => void,
    ): void;
    close(): void;
  }
}
