/** Statistics of when the newest commits were made, in the time zones of their authors. */
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

export interface CommitTimes {
  /** Number of commits counted. */
  commits: number
  authors: number
  /** Days, `2014-03-05`; null if there are no commits. */
  first: string | null
  last: string | null
  /** Numbers of commits by day of the month, by weekday (Monday first) and by hour of the day. */
  days: number[]
  weekdays: number[]
  hours: number[]
}

/** Reads the times of the newest `max` commits, except merges. One process, cached. */
export function commitTimes(repo: Repo, tip: string, max: number): Promise<CommitTimes> {
  const read = async () => {
    const output = await runCostly(repo, ['log', '--no-merges', '--no-color', `--max-count=${max}`, '--format=%cI %ae', tip, '--'])
    return timesIn(lines(output))
  }
  return cached(repo.git.cache, `${repo.dir} times ${tip} ${max}`, read, () => 1_000)
}

/** Parses lines `2014-03-05T14:07:09+01:00 ada@example.com`. */
export function timesIn(log: readonly string[]): CommitTimes {
  const [days, weekdays, hours] = [31, 7, 24].map((length) => new Array<number>(length).fill(0)) as [number[], number[], number[]]
  const authors = new Set<string>()
  const add = (counts: number[], index: number) => {
    counts[index] = (counts[index] ?? 0) + 1
  }
  let [first, last] = [null, null] as [string | null, string | null]
  for (const line of log) {
    const [, day = '', date = '', hour = ''] = /^(\d{4}-\d\d-(\d\d))T(\d\d)/.exec(line) ?? []
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (Number.isNaN(weekday)) continue
    authors.add(line.slice(line.indexOf(' ') + 1))
    add(days, Number(date) - 1)
    add(weekdays, (weekday + 6) % 7)
    add(hours, Number(hour))
    if (first === null || day < first) first = day
    if (last === null || day > last) last = day
  }
  return { commits: hours.reduce((sum, count) => sum + count, 0), authors: authors.size, first, last, days, weekdays, hours }
}
