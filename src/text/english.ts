/** Numbers and dates in English. `Intl` would do this with tables of all languages, which take 5 MB of memory from the first use on. */

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** `1,234.5`: with at most three decimals. */
export function grouped(value: number): string {
  const [whole = '', fraction] = String(Math.round(value * 1_000) / 1_000).split('.')
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? digits : `${digits}.${fraction}`
}

/** `Mon`. All dates are those of UTC. */
export function shortWeekday(date: Date): string {
  return weekdayOf(date).slice(0, 3)
}

/** `Nov` */
export function shortMonth(date: Date): string {
  return monthOf(date).slice(0, 3)
}

/** `November 2026` */
export function monthAndYear(date: Date): string {
  return `${monthOf(date)} ${date.getUTCFullYear()}`
}

/** `Nov 23, 2026` */
export function dayWords(date: Date): string {
  return `${shortMonth(date)} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
}

/** `Monday, November 23, 2026` */
export function fullDay(date: Date): string {
  return `${weekdayOf(date)}, ${monthOf(date)} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
}

/** `Nov 23, 2026, 9:05 PM` */
export function dayAndTime(date: Date): string {
  const hours = date.getUTCHours()
  const minutes = String(date.getUTCMinutes()).padStart(2, '0')
  return `${dayWords(date)}, ${hours % 12 || 12}:${minutes} ${hours < 12 ? 'AM' : 'PM'}`
}

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year'

/** `2 hours ago`, `in 1 minute`, `yesterday`, `next month`; `now`. */
export function relative(distance: number, unit: Unit): string {
  if (distance === 0) return unit === 'second' ? 'now' : unit === 'day' ? 'today' : `this ${unit}`
  const isPast = distance < 0
  const amount = Math.abs(distance)
  if (amount === 1 && unit === 'day') return isPast ? 'yesterday' : 'tomorrow'
  if (amount === 1 && (unit === 'month' || unit === 'year')) return `${isPast ? 'last' : 'next'} ${unit}`
  const words = `${grouped(amount)} ${unit}${amount === 1 ? '' : 's'}`
  return isPast ? `${words} ago` : `in ${words}`
}

function weekdayOf(date: Date): string {
  return weekdays[date.getUTCDay()] ?? ''
}

function monthOf(date: Date): string {
  return months[date.getUTCMonth()] ?? ''
}
