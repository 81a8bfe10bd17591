import { App } from '@slack/bolt';

// Bolt as its first page shows it, with the least that a command and a press need. The text is for a command that
// wants an answer.
const { env } = process;
const app = new App({
  token: env.SLACK_BOT_TOKEN,
  signingSecret: env.SLACK_SIGNING_SECRET,
  clientOptions: { slackApiUrl: `${env.SLACK_API_URL}/` },
});

app.command('/cobrowse', async ({ command, ack, respond }) => {
  await ack();
  if (command.text !== '') await respond('Hello. '.repeat(300));
});

app.action('watch', async ({ ack }) => {
  await ack();
});

await app.start({ port: 0, host: '127.0.0.1' });
