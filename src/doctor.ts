import { examineSettings } from './doctor/program.ts';

const { output, code } = await examineSettings(process.env);
process.stdout.write(output);
process.exit(code);
