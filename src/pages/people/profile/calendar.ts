/** The contribution calendar: a picture of a year, with a table of the same data for users who can't see it. */
import type { Contributions } from '../../../features/people/contributions/contributions.ts'
import { type Html, html } from '../../../html/html.ts'
import { dayWords, monthAndYear, shortMonth, shortWeekday } from '../../../html/numbers-and-dates.ts'
import { count } from '../../../html/phrases.ts'
import { contributionsOf } from '../settings/sentences.ts'

const cell = 13
const gap = { left: 30, top: 16 }

/** @param weekStart first day of the week; 0 is Sunday */
export function calendarOf({ days, total }: Contributions, weekStart: number): Html {
  const dated = days.map(({ day, number }) => ({ date: new Date(`${day}T00:00:00Z`), number }))
  const first = dated[0]?.date ?? new Date(0)
  const offset = rowOf(first, weekStart)
  const weeks = Math.ceil((offset + dated.length) / 7)
  const most = Math.max(1, ...days.map(({ number }) => number))
  const squares = dated.map(({ date, number }, index) => {
    const [x, y] = [gap.left + Math.floor((offset + index) / 7) * cell, gap.top + rowOf(date, weekStart) * cell]
    return html`
      <rect x="${x}" y="${y}" width="11" height="11" rx="2"${strengthOf(number, most)}><title>
          ${dayWords(date)}: ${count(number, 'contribution')}
        </title></rect>
    `
  })
  const names = dated.flatMap(({ date }, index) => {
    const x = gap.left + Math.ceil((offset + index) / 7) * cell
    return date.getUTCDate() === 1 && x + 24 < gap.left + weeks * cell ? [html`<text x="${x}" y="10">${shortMonth(date)}</text>`] : []
  })
  const rows = [1, 3, 5].map((row) => {
    const date = new Date(Date.UTC(2023, 0, 1 + ((weekStart + row) % 7)))
    return html`<text x="0" y="${gap.top + row * cell + 9}">${shortWeekday(date)}</text>`
  })
  const [width, height] = [gap.left + weeks * cell, gap.top + 7 * cell]
  return html`
    <figure class="calendar" tabindex="0" aria-label="Contributions by day">
      <svg
        role="img"
        aria-label="${contributionsOf(total)}"
        width="${width}"
        height="${height}"
        viewBox="0 0 ${width} ${height}"
      >
        ${names}
        ${rows}
        ${squares}
      </svg>
      <figcaption>${contributionsOf(total)}</figcaption>
    </figure>
    ${tableOf(dated)}
  `
}

function rowOf(date: Date, weekStart: number): number {
  return (date.getUTCDay() - weekStart + 7) % 7
}

function strengthOf(number: number, most: number): Html | null {
  if (number === 0) return null
  const share = number / most
  return html` class="${share > 0.66 ? 'most' : share > 0.33 ? 'many' : 'some'}"`
}

interface Dated {
  date: Date
  number: number
}

/** A table by month, for readers who can't see the calendar. */
function tableOf(days: readonly Dated[]): Html {
  const byMonth = new Map<string, number>()
  for (const { date, number } of days) byMonth.set(monthAndYear(date), (byMonth.get(monthAndYear(date)) ?? 0) + number)
  return html`
    <details>
      <summary>By month</summary>
      <table>
        <thead>
          <tr><th scope="col">Month</th><th scope="col">Contributions</th></tr>
        </thead>
        <tbody>${[...byMonth].map(([month, number]) => html`<tr><td>${month}</td><td>${number}</td></tr>`)}</tbody>
      </table>
    </details>
  `
}
