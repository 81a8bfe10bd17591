import { examineSettings } from './config/examine-settings.ts';

const { output, code } = await examineSettings(process.env);
process.stdout.write(output);
process.exit(code);
