/** Contributions by month or, for long histories, by year. */
import type { Contributor, Month } from '../../../git/history/contributors.ts'

/** With more months than this, years are shown. */
const maxMonths = 240

export interface Periods {
  unit: 'month' | 'year'
  /** Without gaps, oldest first: `2014-03` or `2014`. */
  names: string[]
}

/** From the first to the last month with a contribution. */
export function periodsOf(contributors: readonly Contributor[]): Periods {
  let [first, last] = ['9999-12', '']
  for (const { months } of contributors) {
    for (const month in months) {
      if (month < first) first = month
      if (month > last) last = month
    }
  }
  if (last === '') return { unit: 'month', names: [] }
  const [from, to] = [indexOf(first), indexOf(last)]
  if (to - from < maxMonths) return { unit: 'month', names: Array.from({ length: to - from + 1 }, (_, index) => nameOf(from + index)) }
  const years = Array.from({ length: Math.floor(to / 12) - Math.floor(from / 12) + 1 }, (_, index) => String(Math.floor(from / 12) + index))
  return { unit: 'year', names: years }
}

/** Sums of some contributors, in the order of the periods. */
export function sumsOf({ unit, names }: Periods, contributors: ReadonlyArray<Pick<Contributor, 'months'>>): Month[] {
  const sums = new Map<string, Month>(names.map((name) => [name, [0, 0, 0]]))
  for (const { months } of contributors) {
    for (const [month, [commits, additions, deletions]] of Object.entries(months)) {
      const sum = sums.get(unit === 'year' ? month.slice(0, 4) : month)
      if (!sum) continue
      sum[0] += commits
      sum[1] += additions
      sum[2] += deletions
    }
  }
  return [...sums.values()]
}

function indexOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
}

function nameOf(index: number): string {
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`
}
