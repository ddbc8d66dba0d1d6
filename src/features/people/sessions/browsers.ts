/** A short name of the user's browser and system. */

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** Browsers that also name another one in their user agent come first. */
const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS/, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

/**
 * `Firefox on Linux`; null if neither is known.
 * @param agent the header `User-Agent`, as sent
 */
export function browserOf(agent: string | undefined): string | null {
  const nameIn = (list: typeof systems) => list.find(([sign]) => sign.test((agent ?? '').slice(0, 1_000)))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`
  return browser ?? system ?? null
}
