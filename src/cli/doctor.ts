import { examineSettings } from '../config/examine-settings.ts';

/** `npm run doctor`. */
export async function run(process: Pick<NodeJS.Process, 'env' | 'stdout' | 'exit'>): Promise<never> {
  const { output, code } = await examineSettings(process.env);
  process.stdout.write(output);
  return process.exit(code);
}
