/** Parses durations as people write them: `1 week`, `3 mins 4 sec`, `2h20min`, `1:30`, `42`. */

const minute_s = 60
const hour_s = 60 * minute_s
const day_s = 24 * hour_s
/** The lengths that the reference uses. */
const month_s = 30 * day_s
const year_s = 31_557_600

const units: Record<string, number> = {
  s: 1,
  sec: 1,
  second: 1,
  m: minute_s,
  min: minute_s,
  minute: minute_s,
  h: hour_s,
  hr: hour_s,
  hour: hour_s,
  d: day_s,
  day: day_s,
  w: 7 * day_s,
  wk: 7 * day_s,
  week: 7 * day_s,
  mo: month_s,
  mon: month_s,
  month: month_s,
  y: year_s,
  yr: year_s,
  year: year_s,
}

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const joining = new Set(['and', 'with', 'plus', ''])
const maxDuration_chars = 100

/** In seconds; null if it isn't a duration. A plain number means seconds. */
export function parseDuration(text: string): number | null {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || wanted.length > maxDuration_chars) return null
  if (/^\d+(:\d{1,2}){1,2}(\.\d+)?$/.test(wanted)) return clock(wanted)
  const parts = wanted.match(/\d+(?:\.\d+)?|[a-z]+|[^\sa-z\d]+/g) ?? []
  let total = 0
  let amount: number | null = null
  for (const part of parts) {
    const value = amountOf(part)
    if (value !== null && amount === null) amount = value
    else if (amount !== null && unitOf(part) !== undefined) {
      total += amount * (unitOf(part) ?? 0)
      amount = null
    } else if (!joining.has(part) && part !== ',') return null
  }
  total = Math.floor(total + (amount ?? 0))
  return total > 0 && Number.isSafeInteger(total) ? total : null
}

function amountOf(part: string): number | null {
  if (/^\d/.test(part)) return Number(part)
  const at = words.indexOf(part)
  return at < 0 ? (part === 'a' || part === 'an' ? 1 : null) : at
}

const unitNamed = (name: string) => (Object.hasOwn(units, name) ? units[name] : undefined)
const unitOf = (part: string) => unitNamed(part) ?? (part.length > 2 && part.endsWith('s') ? unitNamed(part.slice(0, -1)) : undefined)

function clock(text: string): number | null {
  const total = Math.floor(text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0))
  return total > 0 ? total : null
}
