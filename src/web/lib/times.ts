/** Updates times such as "3 minutes ago" (`ago` in html/phrases.ts) while a page is open. */

const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' })
const steps = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30.4, 'day'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
] as const

function since(instant: string): string {
  let left = (Date.parse(instant) - Date.now()) / 1000
  for (const [max, unit] of steps) {
    if (Math.abs(left) < max) return relative.format(Math.trunc(left), unit)
    left /= max
  }
  return ''
}

export function keepTimes(): void {
  setInterval(() => {
    if (document.hidden) return
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[title]')) {
      const text = since(time.dateTime)
      if (text !== '' && time.textContent !== text) time.textContent = text
    }
  }, 60_000)
}
