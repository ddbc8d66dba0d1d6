/** Durations of time tracking as people write them: `1mo 2w 3d 4h 5m`. A day has 8 hours, a week 5 days, a month 4 weeks. */

const units = [
  { name: 'mo', seconds: 4 * 5 * 8 * 3600 },
  { name: 'w', seconds: 5 * 8 * 3600 },
  { name: 'd', seconds: 8 * 3600 },
  { name: 'h', seconds: 3600 },
  { name: 'm', seconds: 60 },
  { name: 's', seconds: 1 },
]

/** Null for 0: clients show nothing then. */
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
