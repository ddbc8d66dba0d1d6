/** Numbers, sizes, dates and other texts of many pages. */
import { type Html, html } from './html.ts'
import { dayAndTime, dayWords, grouped, relative } from './numbers-and-dates.ts'
import { plural } from './sentences.ts'

export function number(value: number): string {
  return grouped(value)
}

export function count(number: number, one: string, many = `${one}s`): string {
  return plural(number, grouped(number), one, many)
}

export function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10))
  return power === 0 ? count(bytes, 'byte') : `${grouped(Number((bytes / 1024 ** power).toPrecision(3)))} ${units[power]}`
}

const steps = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30.4, 'day'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
] as const

/** How long ago an instant was; the exact instant is shown as a tooltip. */
export function ago(instant: string, now = Date.now()): Html {
  const date = new Date(instant)
  return html`<time datetime="${date.toISOString()}" title="${dayAndTime(date)} UTC">${since(date.getTime() - now)}</time>`
}

function since(distance_ms: number): string {
  let left = distance_ms / 1000
  for (const [most, unit] of steps) {
    if (Math.abs(left) < most) return relative(Math.trunc(left), unit)
    left /= most
  }
  return ''
}

/** A calendar day, such as that on which a token expires. */
export function day(date: string): string {
  return dayWords(new Date(date))
}
