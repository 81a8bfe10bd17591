import { describe, expect, it } from 'vitest';
import { connect, rejection, serve } from './stage.ts';

/** A service that knows one agent, by this email alone. */
async function knowing(email: string) {
  const asked: string[] = [];
  const service = await serve(({ url = '' }, response) => {
    const wanted = new URL(url, 'http://service').searchParams.get('email') ?? '';
    asked.push(wanted);
    if (wanted === email) response.end('{"status":"ok","agent":{"id":"dana","name":"Dana","sessions":[]}}');
    else response.writeHead(404).end('{"status":"error"}');
  });
  return { asked, client: connect(service.url) };
}

describe('an agent’s email', () => {
  it.each([
    ['Dana@Acme.example', 'dana@acme.example', ['Dana@Acme.example', 'dana@acme.example']],
    ['Dana@Acme.example', 'Dana@Acme.example', ['Dana@Acme.example']],
  ])('is compared without case: %s is %s', async (email, known, asked) => {
    const service = await knowing(known);
    expect(await service.client.lookupAgent({ email })).toMatchObject({ id: 'dana' });
    expect(service.asked).toEqual(asked);
  });

  it('is asked for once where it’s in lower case, and nobody has it', async () => {
    const { client, asked } = await knowing('sam@acme.example');
    expect(await rejection(client.lookupAgent({ email: 'dana@acme.example' }))).toMatchObject({
      kind: 'not-found',
    });
    expect(asked).toEqual(['dana@acme.example']);
  });
});
