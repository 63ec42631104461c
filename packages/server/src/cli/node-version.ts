/** The versions of Node.js whose `node:sqlite` has the options that the service uses, for `engines` of package.json. */
export const supportedNodeVersions = '^22.18.0 || >=24.4.0'

/** `version` is `process.versions.node`. */
export function isSupportedNodeVersion(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 22 ? minor >= 18 : major === 24 ? minor >= 4 : major > 24
}
