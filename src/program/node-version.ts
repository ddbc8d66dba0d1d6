/** Checks the version of Node.js. Old versions must be able to parse this file, so it imports nothing. */

export const minNode = '20.19'

/** @param version as in `process.versions.node` */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = minNode.split('.').map(Number)
  return major < minMajor || (major === minMajor && minor < minMinor)
}
