/** The version of the service, the SDK and the wire format: `npm run docs` copies it from the root `package.json`. */
export const version = '0.4.0'
