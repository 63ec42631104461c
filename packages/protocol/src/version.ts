import root from '../../../package.json' with { type: 'json' }

/** The version of the service, the SDK and the wire format: that of the root `package.json`, which is set nowhere else. */
export const { version } = root
