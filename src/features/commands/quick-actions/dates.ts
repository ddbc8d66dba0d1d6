/** Dates as people write them after `/due`: `2018-12-31`, `tomorrow`, `in 2 weeks`, `this Friday`, `December 31st`. */
import type { Day } from '../../../db/tables.ts'

const day_ms = 86_400_000
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Null if it isn't a date. Without a year, the next such day is meant. */
export function parseDate(text: string, today: Day): Day | null {
  const written = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/^on /, '')
  if (written.length > 60) return null
  return parseIso(written) ?? parseNear(written, today) ?? parseMonth(written, today)
}

function parseIso(written: string): Day | null {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(written) ?? []
  if (year) return dayOf(Number(year), Number(month), Number(day))
  const [, usMonth, usDay, usYear] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(written) ?? []
  return usYear ? dayOf(Number(usYear), Number(usMonth), Number(usDay)) : null
}

function parseNear(written: string, today: Day): Day | null {
  const plain = { today: 0, tomorrow: 1, yesterday: -1 }[written]
  if (plain !== undefined) return plus(today, plain, 'day')
  const [, unit] = /^next (day|week|month|year)$/.exec(written) ?? []
  if (unit) return plus(today, 1, unit)
  const [, word, of] = /^(?:in )?(\w+) (day|week|month|year)s?(?: from (?:now|today))?$/.exec(written) ?? []
  if (word !== undefined && of !== undefined) {
    const number = /^\d{1,4}$/.test(word) ? Number(word) : /^an?$/.test(word) ? 1 : numbers.indexOf(word)
    return number < 0 ? null : plus(today, number, of)
  }
  const [, name = ''] = /^(?:this |next |coming )?([a-z]{3,9})$/.exec(written) ?? []
  const weekday = name === '' ? -1 : weekdays.findIndex((known) => known.startsWith(name))
  if (weekday < 0) return null
  const distance = (weekday - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7
  return plus(today, distance === 0 ? 7 : distance, 'day')
}

/** `December 31st`, `31 dec 2018`. */
function parseMonth(written: string, today: Day): Day | null {
  const [, name, day, dayFirst, nameAfter, year] =
    /^(?:([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?|(\d{1,2})(?:st|nd|rd|th)? (?:of )?([a-z]{3,9})\.?),?(?: (\d{4}))?$/.exec(written) ?? []
  const month = months.indexOf((name ?? nameAfter ?? '').slice(0, 3)) + 1
  const number = Number(day ?? dayFirst)
  if (month === 0) return null
  if (year) return dayOf(Number(year), month, number)
  const thisYear = Number(today.slice(0, 4))
  const near = dayOf(thisYear, month, number)
  return near !== null && near >= today ? near : dayOf(thisYear + 1, month, number)
}

/** Null if the month has no such day. */
function dayOf(year: number, month: number, day: number): Day | null {
  const written = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return new Date(`${written}T00:00:00Z`).toJSON()?.startsWith(written) ? written : null
}

/** A month after January 31 is the last day of February. Null beyond the year 9999. */
function plus(from: Day, count: number, unit: string): Day | null {
  const start = new Date(`${from}T00:00:00Z`)
  if (unit === 'day' || unit === 'week') return written(new Date(start.getTime() + count * (unit === 'week' ? 7 : 1) * day_ms))
  const index = start.getUTCFullYear() * 12 + start.getUTCMonth() + count * (unit === 'year' ? 12 : 1)
  const last = new Date(Date.UTC(Math.floor(index / 12), (index % 12) + 1, 0)).getUTCDate()
  return written(new Date(Date.UTC(Math.floor(index / 12), index % 12, Math.min(start.getUTCDate(), last))))
}

function written(date: Date): Day | null {
  const text = date.toJSON()?.slice(0, 10) ?? ''
  return /^\d{4}-/.test(text) ? text : null
}
