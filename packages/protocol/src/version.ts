/** The version of the service, the SDK and the wire format. All `package.json` files have the same. */
export const version = '0.3.0'
