/** Durations of time tracking as people write them: `1mo 2w 3d 4h 5m`. A day has 8 hours, a week 5 days, a month 4 weeks. */

const units = [
  { name: 'mo', seconds: 4 * 5 * 8 * 3600 },
  { name: 'w', seconds: 5 * 8 * 3600 },
  { name: 'd', seconds: 8 * 3600 },
  { name: 'h', seconds: 3600 },
  { name: 'm', seconds: 60 },
  { name: 's', seconds: 1 },
]

/** Names of units: `mos`, `days`. */
const unitNames: Array<[name: string, words: RegExp]> = [
  ['mo', /^(?:mo|mon|mos|months?)$/],
  ['w', /^(?:w|wks?|weeks?)$/],
  ['d', /^(?:d|dy|days?)$/],
  ['h', /^(?:h|hrs?|hours?)$/],
  ['m', /^(?:m|mins?|minutes?)$/],
  ['s', /^(?:s|secs?|seconds?)$/],
]
const longestDuration_chars = 200
/** Clients store durations in 32 bits. */
const maxDuration_s = 2_147_483_647

/**
 * Seconds of `1w 2d 3h 4m`, `1h30m`, `1.5 hours`, `1:30:00`, or of a plain number, which means hours; negative after a minus sign. Null for
 * anything else, and for more than 32 bits hold.
 */
export function parseDuration(text: string): number | null {
  const written = text.trim().toLowerCase()
  if (written === '' || written.length > longestDuration_chars) return null
  const isNegative = written.startsWith('-')
  const seconds = parseUnsigned(isNegative ? written.slice(1).trim() : written)
  if (seconds === null || seconds > maxDuration_s) return null
  return isNegative && seconds > 0 ? -seconds : seconds
}

function parseUnsigned(written: string): number | null {
  if (/^\d+(?:\.\d+)?$/.test(written)) return Math.round(Number(written) * 3600)
  if (/^\d+(?::\d{1,2}){1,2}$/.test(written)) return written.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+$/.test(written.replace(/\band\b/g, ' '))) return null
  let sum_s = 0
  for (const [, number = '', word = ''] of written.replace(/\band\b/g, ' ').matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const name = unitNames.find(([, words]) => words.test(word))?.[0]
    const unit = units.find((known) => known.name === name)
    if (!unit) return null
    sum_s += Number(number) * unit.seconds
  }
  return Math.round(sum_s)
}

/** Null for 0, for which clients show nothing. */
export function humanDuration(total_s: number): string | null {
  const parts: string[] = []
  let left_s = Math.abs(total_s)
  for (const { name, seconds } of units) {
    const number = Math.floor(left_s / seconds)
    left_s -= number * seconds
    if (number > 0) parts.push(`${number}${name}`)
  }
  return parts.length === 0 ? null : `${total_s < 0 ? '-' : ''}${parts.join(' ')}`
}
