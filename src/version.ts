import packageFile from '../package.json' with { type: 'json' };

/** The app's own. */
export const VERSION = packageFile.version;
