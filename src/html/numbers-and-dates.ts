/**
 * Numbers and dates in the language of the page. English ones are written by `text/english.ts`, so that `Intl` loads its tables only for
 * who reads another language. All dates are those of UTC.
 */
import * as english from '../text/english.ts'
import { currentLanguage } from './language.ts'

/** `1,234.5`: with at most three decimals. */
export function grouped(value: number): string {
  const language = currentLanguage()
  return language === 'en' ? english.grouped(value) : numbers(language).format(value)
}

/** `Mon` */
export const shortWeekday = dateIn(english.shortWeekday, { weekday: 'short' })
/** `Nov` */
export const shortMonth = dateIn(english.shortMonth, { month: 'short' })
/** `November 2026` */
export const monthAndYear = dateIn(english.monthAndYear, { month: 'long', year: 'numeric' })
/** `Nov 23, 2026` */
export const dayWords = dateIn(english.dayWords, { dateStyle: 'medium' })
/** `Monday, November 23, 2026` */
export const fullDay = dateIn(english.fullDay, { dateStyle: 'full' })
/** `Nov 23, 2026, 9:05 PM` */
export const dayAndTime = dateIn(english.dayAndTime, { dateStyle: 'medium', timeStyle: 'short' })

/** `2 hours ago`, `in 1 minute`, `yesterday`, `next month`; `now`. */
export function relative(distance: number, unit: english.Unit): string {
  const language = currentLanguage()
  return language === 'en' ? english.relative(distance, unit) : distances(language).format(distance, unit)
}

const numbers = kept((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 3 }))
const distances = kept((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))

function dateIn(inEnglish: (date: Date) => string, options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const formats = kept((language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }))
  return (date) => {
    const language = currentLanguage()
    return language === 'en' ? inEnglish(date) : formats(language).format(date)
  }
}

/** Made once for each language: making a format takes longer than using it. */
function kept<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>()
  return (language) => {
    const found = made.get(language) ?? make(language)
    made.set(language, found)
    return found
  }
}
