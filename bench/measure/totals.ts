/** Lists of 100,000 rows right after a write to their table, against the same lists with totals and ids of pages cached. */

import { member } from '../data/people.ts'
import type { Forge } from '../forge.ts'
import { digits, median, printProgress, type Row } from '../report.ts'
import { totalRounds } from '../settings.ts'

export const rowsOfEach = 100_000

const perPage = 20
const maxTimes = 2

interface List {
  path: string
  /** Pages of the first caller: the first one, one in the middle, one near the end. */
  pages: number[]
  write: (forge: Forge, round: number) => Promise<unknown>
}

const pagesOf = (rows: number) => [1, 0.5, 0.9].map((share) => (share === 1 ? 1 : Math.floor((rows * share) / perPage)))

const lists: List[] = [
  {
    path: '/projects?',
    pages: pagesOf(rowsOfEach),
    write: (forge, round) => forge.call('PUT', `/projects/${member.id}`, { description: String(round) }),
  },
  {
    path: '/groups?all_available=true&',
    pages: pagesOf(rowsOfEach),
    write: (forge, round) => forge.call('PUT', `/groups/${member.id}`, { description: String(round) }),
  },
  {
    path: '/users?active=true&',
    pages: pagesOf(rowsOfEach),
    write: (forge, round) => forge.call('PUT', `/users/${member.id}`, { bio: String(round) }),
  },
]

/** One row for each list and caller: the slowest of its pages. */
export async function measureTotals(engine: string, forge: Forge): Promise<Row[]> {
  const rows: Row[] = []
  for (const list of lists) {
    for (const [caller, token] of [['an administrator', forge.token] as const, ['a member', member.token] as const]) {
      printProgress(`${engine}: ${list.path} for ${caller}, after writes`)
      const measured: Array<[after_ms: number, cached_ms: number]> = []
      for (const page of list.pages) measured.push(await measurePage(forge, list, `${list.path}page=${page}&per_page=${perPage}`, token))
      rows.push(asRow(`${engine}, \`GET ${list.path.split('?')[0]}\` of ${rowsOfEach.toLocaleString('en')} for ${caller}`, measured))
    }
  }
  return rows
}

/** Medians. Each address is asked for once: whole answers are cached too. */
async function measurePage(forge: Forge, { write }: List, path: string, token: string): Promise<[after_ms: number, cached_ms: number]> {
  const after: number[] = []
  const cached: number[] = []
  for (let round = 0; round <= totalRounds; round += 1) {
    await write(forge, round)
    const first_ms = await timed(`${forge.url}/api/v4${path}&round=${round}`, token)
    const second_ms = await timed(`${forge.url}/api/v4${path}&round=${round}-again`, token)
    // The first round warms up.
    if (round === 0) continue
    after.push(first_ms)
    cached.push(second_ms)
  }
  return [median(after), median(cached)]
}

async function timed(url: string, token: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(url, { headers: { 'private-token': token } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
  return performance.now() - began
}

function asRow(what: string, measured: Array<[after_ms: number, cached_ms: number]>): Row {
  const ratios = measured.map(([after_ms, cached_ms]) => after_ms / cached_ms)
  const worst = Math.max(...ratios)
  const show = (index: 0 | 1) => measured.map((times) => digits(times[index])).join(', ')
  return {
    what: `${what}: the first page, one in the middle, a late one, right after a write`,
    ours: `${show(0)} ms`,
    limit: `cached: ${show(1)} ms`,
    ratio: digits(worst),
    aim: `≤ ${maxTimes} ×`,
    met: worst <= maxTimes,
  }
}
