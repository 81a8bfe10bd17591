import { defineConfig } from 'oxlint';

/** The rooms of src from the bottom up. A room imports only from those before it. */
const ROOMS = [
  'lifecycle',
  'database',
  'http',
  'cobrowse',
  'audit',
  'permissions',
  'messages',
  'workspaces',
  'commands',
  'outbox',
  'visitors',
  'sessions',
  'team',
  'watch',
  'subscriptions',
  'admin',
  'webhooks',
  'home',
  'slack',
  'config',
];

/** What agents and admins use: Slack's edge is handed their commands, and knows none of them. */
const FEATURES = ROOMS.slice(ROOMS.indexOf('outbox'), ROOMS.indexOf('slack'));

/** Files of src that join the rooms. The others that belong to none, and `logging/`, may be used by every room. */
const WIRING = ['app', 'services', 'reports', 'run'];

const DOWN = 'A room imports only from rooms below it: see the map of the code in CONTRIBUTING.md.';

function restrictions(room: string, index: number) {
  const above = ['sandbox', 'cli', ...ROOMS.slice(index + 1)];
  return [
    { regex: `^(\\.\\./)+(${above.join('|')})/`, message: DOWN },
    { regex: `^\\.\\./(${WIRING.join('|')})\\.ts$`, message: DOWN },
    // It does for the rooms below what they ask for by a type.
    ...(room === 'slack'
      ? [{ regex: `^\\.\\./(${FEATURES.join('|')})/`, allowTypeImports: true, message: DOWN }]
      : []),
    ...(room === 'slack'
      ? []
      : [{ regex: '^@slack/bolt$', allowTypeImports: true, message: 'Bolt belongs to slack/.' }]),
  ];
}

const imports = ROOMS.map((room, index) => ({
  files: [`src/${room}/*.ts`],
  rules: { 'no-restricted-imports': ['error', { patterns: restrictions(room, index) }] as const },
}));

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'import', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-assertions': [
      'error',
      {
        assertionStyle: 'never',
      },
    ],
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    'typescript/ban-ts-comment': 'error',
    'import/no-default-export': 'error',
    'import/no-duplicates': ['error', { preferInline: true }],
    'typescript/no-import-type-side-effects': 'error',
    'import/no-cycle': 'error',
    'unicorn/prefer-node-protocol': 'error',
    'no-await-in-loop': 'off',
    'typescript/consistent-return': 'off',
    'consistent-return': 'off',
    'no-underscore-dangle': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'import/no-named-as-default-member': 'off',
    'no-console': 'error',
    'node/no-process-env': 'error',
  },
  overrides: [
    { files: ['*.config.ts', 'test/support/no-skips.ts'], rules: { 'import/no-default-export': 'off' } },
    {
      files: ['test/**', 'sandbox/main.ts'],
      rules: { 'no-console': 'off', 'node/no-process-env': 'off' },
    },
    { files: ['src/**'], rules: { 'max-lines-per-function': ['error', { max: 80 }] } },
    // It names every room once.
    { files: ['src/app.ts'], rules: { 'max-lines-per-function': 'off' } },
    // The only ones that read the environment.
    {
      files: ['src/{run,cli/store-program,config/config}.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['src/{,cli/,logging/}*.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              { regex: '^\\.\\./sandbox/', message: 'Nothing uses the sandbox.' },
              { regex: '^@slack/bolt$', allowTypeImports: true, message: 'Bolt belongs to slack/.' },
            ],
          },
        ],
      },
    },
    ...imports,
  ],
  ignorePatterns: ['node_modules', 'sandbox/page/vendor'],
});
