/** Semantic versions: their order, and the tag that precedes a version. Pure. */

export interface Version {
  numbers: [major: number, minor: number, patch: number]
  /** The parts of a pre-release; empty for a release. */
  before: string[]
}

/** The pattern in URLs, tags and headings; with groups for the numbers. */
export const versionPattern =
  '^v?(0|[1-9]\\d{0,9})\\.(0|[1-9]\\d{0,9})\\.(0|[1-9]\\d{0,9})(?:-([0-9A-Za-z.-]{1,100}))?(?:\\+[0-9A-Za-z.-]{1,100})?$'

const pattern = new RegExp(versionPattern)

/** Null if it isn't a version. */
export function versionOf(text: string): Version | null {
  const [, major, minor, patch, before] = pattern.exec(text) ?? []
  return major === undefined ? null : { numbers: [Number(major), Number(minor), Number(patch)], before: before?.split('.') ?? [] }
}

/** Negative if `one` comes before `other`. */
export function compareVersions(one: Version, other: Version): number {
  for (const at of [0, 1, 2] as const) if (one.numbers[at] !== other.numbers[at]) return one.numbers[at] - other.numbers[at]
  // A pre-release comes before its release.
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length
  for (let at = 0; at < Math.max(one.before.length, other.before.length); at += 1) {
    const order = compareParts(one.before[at], other.before[at])
    if (order !== 0) return order
  }
  return 0
}

function compareParts(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}

/** The tag with the highest version below `version`, pre-releases aside; null if there is none. */
export function tagBefore<T extends { name: string }>(tags: readonly T[], version: Version): T | null {
  let found: { tag: T; version: Version } | null = null
  for (const tag of tags) {
    const own = versionOf(tag.name)
    if (!own || own.before.length > 0 || compareVersions(own, version) >= 0) continue
    if (!found || compareVersions(own, found.version) > 0) found = { tag, version: own }
  }
  return found?.tag ?? null
}
