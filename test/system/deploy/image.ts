import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Copy, DockerfileParser, From, PropertyInstruction } from 'dockerfile-ast';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DOCKERFILE = join(ROOT, 'deploy/Dockerfile');
const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Runs a command where a folder is everything there is, besides what a bare Debian has: that is this machine's, but for
 * /usr/local. Given: the folder, `ro` or `rw`, the user, where it runs, pairs of what is mounted and where, `--`, the command.
 */
const IN_FOLDER = `
set -e
root=$1 access=$2 user=$3 place=$4
shift 4
mount --bind "$root" "$root"
for part in dev etc proc usr/bin usr/lib usr/lib64 usr/sbin usr/share; do
  mkdir -p "$root/$part"
  mount --rbind "/$part" "$root/$part"
done
for part in bin lib lib64 sbin; do ln -sfn "usr/$part" "$root/$part"; done
while [ "$1" != -- ]; do
  mkdir -p "$root/$2"
  mount --bind "$1" "$root/$2"
  shift 2
done
shift
mount -o "remount,bind,$access" "$root"
exec chroot --userspec="$user" --groups= "$root" env --chdir="$place" "$@"`;

/** An image while its steps are run. */
interface Image {
  /** The folder that is its file system. */
  readonly root: string;
  user: string;
  folder: string;
  readonly env: Record<string, string>;
  /** What is in the place of packages that would be installed: pairs, as IN_FOLDER takes them. */
  readonly packages: string[];
  /** What is started in it, by the instruction's name. */
  readonly programs: Record<string, readonly string[]>;
}

/** What runs a command in an image, as words. */
function inImage(image: Image, access: 'ro' | 'rw', mounts: readonly string[]): readonly string[] {
  const variables = Object.entries({ PATH, ...image.env }).map(([name, value]) => `${name}=${value}`);
  const place = [image.root, access, image.user, image.folder];
  return ['unshare', '--mount', 'sh', '-c', IN_FOLDER, 'sh', ...place, ...mounts, '--', ...variables];
}

/** The words of a JSON array at the end of an instruction. */
const wordsIn = (text: string) => z.array(z.string()).parse(JSON.parse(/\[.*\]$/s.exec(text)?.[0] ?? ''));

/** What of the checkout is sent to the builder. */
async function sentToBuilder(): Promise<readonly string[]> {
  const lines = (await readFile(`${DOCKERFILE}.dockerignore`, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = lines;
  if (first !== '*' || others.some((line) => !/^![\w.-]+$/.test(line)))
    throw new Error('This reads only "*" and then "!name".');
  return others.map((line) => line.slice(1));
}

const run = ([program = '', ...words]: readonly string[]) => promisify(execFile)(program, words, { env: {} });

/** Runs the steps of deploy/Dockerfile one by one, below a folder. */
export async function runSteps(below: string) {
  const sent = await sentToBuilder();
  const images = new Map<string, Image>();

  async function newImage(from: string): Promise<Image> {
    const root = await mkdtemp(join(below, 'image-'));
    await chmod(root, 0o755);
    // What the image node:24-slim has besides Debian.
    if (from.startsWith('node:')) {
      await mkdir(join(root, 'usr/local/bin'), { recursive: true });
      await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
    }
    return { root, user: '0:0', folder: '/', env: {}, packages: [], programs: {} };
  }

  async function copy(image: Image, instruction: Copy): Promise<void> {
    const words = instruction.getArguments().map((word) => word.getValue());
    const target = words.pop() ?? '';
    const to = join(image.root, resolve(image.folder, target));
    const from = instruction.getFromFlag()?.getValue();
    const source = typeof from === 'string' ? (images.get(from) ?? (await newImage(from))).root : ROOT;
    for (const file of words.flatMap((word) => (word === '.' ? sent : [word]))) {
      if (source === ROOT && !sent.includes(file)) throw new Error(`${file} isn't sent to the builder.`);
      const isInto = /[./]$/.test(target);
      await cp(join(source, file), isInto ? join(to, basename(file)) : to, { recursive: true });
    }
  }

  async function runStep(image: Image, command: string): Promise<void> {
    // The run of these tests did that, with the same files.
    if (command === 'npm ci') {
      for (const file of ['package.json', 'package-lock.json', '.npmrc'])
        await readFile(join(image.root, image.folder, file));
      image.packages.push(join(ROOT, 'node_modules'), join(image.folder, 'node_modules'));
    } else await run([...inImage(image, 'rw', image.packages), 'sh', '-c', command]);
  }

  let image = await newImage('');
  for (const instruction of DockerfileParser.parse(await readFile(DOCKERFILE, 'utf8')).getInstructions()) {
    const text = instruction.getArgumentsContent() ?? '';
    const keyword = instruction.getKeyword();
    if (instruction instanceof From) {
      image = await newImage(instruction.getImage() ?? '');
      images.set(instruction.getBuildStage() ?? '', image);
    } else if (instruction instanceof Copy) await copy(image, instruction);
    else if (instruction instanceof PropertyInstruction && keyword === 'ENV') {
      for (const property of instruction.getProperties())
        image.env[property.getName()] = property.getValue() ?? '';
    } else if (keyword === 'RUN') await runStep(image, text);
    else if (keyword === 'WORKDIR') {
      image.folder = text;
      await mkdir(join(image.root, text), { recursive: true });
    } else if (keyword === 'USER') image.user = text;
    else if (['ENTRYPOINT', 'CMD', 'HEALTHCHECK'].includes(keyword)) image.programs[keyword] = wordsIn(text);
    else if (!['LABEL', 'EXPOSE', 'VOLUME'].includes(keyword)) throw new Error(`This can't do ${keyword}.`);
  }

  const { ENTRYPOINT = [], CMD = [], HEALTHCHECK = [] } = image.programs;
  return {
    root: image.root,
    user: image.user,
    /** What runs on a file system that can't be written, but for /data, as words. @param clock of the tests, for Node to load first */
    on: (data: string, clock: string) => {
      const env = { ...image.env, NODE_OPTIONS: `${image.env['NODE_OPTIONS'] ?? ''} --import=${clock}` };
      const before = inImage({ ...image, env }, 'ro', [data, '/data']);
      return { app: [...before, ...ENTRYPOINT, ...CMD], healthcheck: [...before, ...HEALTHCHECK] };
    },
  };
}
