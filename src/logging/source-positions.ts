import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const HERE = new URL('.', import.meta.url).href;
/** By the name of a built file; read when an error in it is first logged, since they take 10 MiB. */
const maps = new Map<string, SourceMap>();

/** Of a file that `npm run build` made; the source itself has none. */
function mapOf(file: string): SourceMap | undefined {
  const known = maps.get(file);
  if (known !== undefined) return known;
  try {
    const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(new URL(`${file}.map`, HERE)), 'utf8')));
    maps.set(file, map);
    return map;
  } catch {
    return undefined;
  }
}

/** A stack whose positions in files that `npm run build` made are those in the source, as `src/app.ts:12:3`; libraries' stay. */
export function withSourcePositions(stack: string): string {
  return stack.replaceAll(
    /(file:\/\/\S+\/)([\w-]+\.js):(\d+):(\d+)/g,
    (built: string, folder: string, file: string, line: string, column: string) => {
      if (folder !== HERE) return built;
      const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      // Of a line that has no source, the last position before it is found.
      if (found === undefined || !('originalSource' in found) || found.generatedLine !== Number(line) - 1)
        return built;
      return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    },
  );
}
