import manifest from '../package.json' with { type: 'json' }

/**
 * The version of the service, the SDK and the wire format. `npm run docs` copies it from the root `package.json`, the
 * only place where it is set.
 */
export const { version } = manifest
