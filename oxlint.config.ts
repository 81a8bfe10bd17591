import { defineConfig } from 'oxlint';

/** The folders of src from the top down. What is above may use what is below; those of one line don't know each other. */
const LAYERS = [
  ['slack'],
  ['commands', 'watch', 'session-end', 'subscriptions', 'doctor', 'home', 'charts'],
  ['deliveries'],
  ['views'],
  ['links'],
  ['permissions'],
  ['model'],
  ['audit'],
  ['cobrowse', 'tickets', 'http'],
  ['database'],
];

const folders = (names: readonly string[]) => `^(\\.\\./)+(${names.join('|')})/`;
const DOWN = 'Imports go down: see the map of the code in README.md.';

function restrictions(folder: string, line: readonly string[], index: number) {
  const others = ['sandbox', ...LAYERS.slice(0, index).flat(), ...line.filter((name) => name !== folder)];
  const isEdge = folder === 'slack';
  return [
    { regex: folders(others), message: DOWN },
    // Files outside of folders are the wiring: types of it go to Slack's edge alone, and of the settings to nobody.
    { regex: '^\\.\\./[\\w-]+\\.ts$', allowTypeImports: isEdge, message: DOWN },
    { regex: '^\\.\\./config\\.ts$', message: 'The settings end at app.ts.' },
    ...(isEdge
      ? []
      : [{ regex: '^@slack/bolt$', allowTypeImports: true, message: 'Bolt belongs to slack/.' }]),
    ...(folder === 'views'
      ? [
          {
            regex: folders(['audit', 'cobrowse', 'tickets', 'http', 'database']),
            allowTypeImports: true,
            message: 'Views take types only.',
          },
        ]
      : []),
  ];
}

const imports = LAYERS.flatMap((line, index) =>
  line.map((folder) => ({
    files: [`src/${folder}/*.ts`],
    rules: {
      'no-restricted-imports': ['error', { patterns: restrictions(folder, line, index) }] as const,
    },
  })),
);

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
    { files: ['*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    {
      files: ['test/**', 'sandbox/main.ts'],
      rules: { 'no-console': 'off', 'node/no-process-env': 'off' },
    },
    // The only ones that read the environment.
    { files: ['src/{run,doctor,config}.ts'], rules: { 'node/no-process-env': 'off' } },
    {
      files: ['src/*.ts'],
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
