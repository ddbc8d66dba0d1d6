/** Lists of people and spaces, on both engines, beside the same lists of a forge with a hundredth of the rows. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../tools/postgres.mjs'
import { asLatencyRow } from '../data/engines.ts'
import { fill, member, publicGroups, type Size, terms } from '../data/people.ts'
import { createDatabase, onServer } from '../databases.ts'
import { type Forge, startForge } from '../forge.ts'
import type { SideBySide, Writes } from '../probes/side-by-side.ts'
import type { Latency } from '../probes/steady.ts'
import { pause, runScript } from '../processes.ts'
import { printProgress, type Row } from '../report.ts'
import { lists_s, rate_per_s, writes_per_s } from '../settings.ts'
import { measureTotals, rowsOfEach } from './totals.ts'

const large: Size = { users: 10_000, groups: 1_000, projects: 20_000 }
const small: Size = { users: 100, groups: 10, projects: 200 }

/** The rows of the table; without a PostgreSQL server on this machine only those of SQLite. */
export async function measureLists(folder: string): Promise<Row[]> {
  const onSqlite: Start = async (size, home) => {
    const forge = await startForge(home)
    await fill(join(home, 'gitstead.sqlite'), size)
    return forge
  }
  const rows = [...(await measureOn('SQLite', folder, onSqlite)), ...(await measureLongest('SQLite', folder, onSqlite))]
  const postgres = await startPostgres()
  if (!postgres) return rows
  try {
    const start: Start = async (size, home) => {
      const database_url = await createDatabase(postgres.url, `bench_${size.users}`)
      const forge = await startForge(home, { database_url })
      await fill(database_url, size)
      // PostgreSQL would do this by itself within a minute, in the middle of a measurement.
      await onServer(database_url, 'vacuum analyze')
      return forge
    }
    return [...rows, ...(await measureOn('PostgreSQL', folder, start)), ...(await measureLongest('PostgreSQL', folder, start))]
  } finally {
    await postgres.stop()
  }
}

type Start = (size: Size, home: string) => Promise<Forge>

async function measureOn(engine: string, folder: string, start: Start): Promise<Row[]> {
  const forges: Forge[] = []
  try {
    for (const size of [large, small]) {
      printProgress(`${engine}: ${size.users} users, ${size.groups} groups, ${size.projects} projects`)
      const home = join(folder, `lists-${engine}-${size.users}`)
      mkdirSync(home, { mode: 0o700 })
      forges.push(await start(size, home))
    }
    return await compare(engine, forges as [Forge, Forge])
  } finally {
    for (const forge of forges) await forge.stop()
  }
}

async function measureLongest(engine: string, folder: string, start: Start): Promise<Row[]> {
  const home = join(folder, `totals-${engine}`)
  mkdirSync(home, { mode: 0o700 })
  printProgress(`${engine}: ${rowsOfEach} users, groups and projects`)
  const forge = await start({ users: rowsOfEach, groups: rowsOfEach, projects: rowsOfEach }, home)
  // Filling took longer than a connection stays open: now its end is noticed.
  await pause(100)
  try {
    return await measureTotals(engine, forge)
  } finally {
    await forge.stop()
  }
}

async function compare(engine: string, forges: [Forge, Forge]): Promise<Row[]> {
  const rows: Row[] = []
  const writes = await prepareWrites(forges)
  const callers: Array<[name: string, token: string | null, writes?: Writes]> = [
    ['an administrator', forges[0].token],
    ['a member', member.token],
    [`a member, with ${writes_per_s} writes a second`, member.token, writes],
    ['anybody', null],
  ]
  for (const [list, paths, signedInOnly] of lists) {
    for (const [caller, token, writes] of callers) {
      if (signedInOnly && token === null) continue
      printProgress(`${engine}: ${list} for ${caller}, ${rate_per_s} requests a second`)
      const [ours, few] = await runScript<SideBySide, [Latency, Latency]>('side-by-side.ts', {
        sides: [addresses(forges[0], paths), addresses(forges[1], paths)],
        headers: token === null ? {} : { 'private-token': token },
        rate_per_s,
        duration_s: lists_s,
        ...(writes && { writes }),
      })
      rows.push(asLatencyRow(`${engine}, \`${list}\` for ${caller}`, ours, few))
    }
  }
  return rows
}

/** A project in each forge that takes commits and their statuses while lists are asked for. */
async function prepareWrites(forges: [Forge, Forge]): Promise<Writes> {
  const [one, other] = forges
  for (const forge of forges) {
    await forge.call('POST', '/projects', { name: 'written', visibility: 'private' })
    await forge.call('POST', '/projects/root%2Fwritten/repository/files/README', { branch: 'main', content: '', commit_message: 'Begin' })
  }
  const address = ({ url }: Forge) => `${url}/api/v4/projects/root%2Fwritten`
  return { what: 'commits', projects: [address(one), address(other)], headers: { 'private-token': one.token }, per_s: writes_per_s }
}

const lists: Array<[list: string, paths: string[], signedInOnly: boolean]> = [
  ['GET /projects', ['/projects'], false],
  ['GET /groups', ['/groups'], false],
  ['GET /groups/:id', publicGroups.map((id) => `/groups/${id}`), false],
  ['GET /users?search=', terms.users.map((term) => `/users?search=${term}`), true],
  ['GET /projects?search=', terms.projects.map((term) => `/projects?search=${term}`), false],
]

function addresses(forge: Forge, paths: string[]): string[] {
  return paths.map((path) => `${forge.url}/api/v4${path}`)
}
