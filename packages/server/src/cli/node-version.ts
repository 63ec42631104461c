/** The versions of Node.js with `crypto.argon2`, for `engines` of package.json. */
export const supportedNodeVersions = '>=24.7'

/** `version` is `process.versions.node`. */
export function isSupportedNodeVersion(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 7)
}
