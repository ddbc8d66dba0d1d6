/** Processor time of a request, against bare Fastify sending the same bytes with the same headers and logging at the same level. */
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type TSchema, Type } from 'typebox'
import { endpoints } from '../../src/features/index.ts'
import { fill } from '../data/people.ts'
import { wideBranch, wideFile } from '../data/repository.ts'
import { type Forge, startForge } from '../forge.ts'
import type { BareInput } from '../limits/bare.ts'
import { type Helper, startHelper, usedCpu_us } from '../processes.ts'
import { pushToRead } from '../reading.ts'
import { atLeast, digits, median, printProgress, type Row } from '../report.ts'
import { connections, costRequests, costRounds } from '../settings.ts'

interface Reading {
  what: string
  /** The endpoint that answers it. */
  signature: string
  path: string
  /** Bare Fastify's processor time in parts of ours. */
  aim: number
}

const project = '/projects/root%2Fread'
const repository = `${project}/repository`

const readings: Reading[] = [
  { what: 'a project', signature: 'GET /projects/:id', path: project, aim: 0.6 },
  {
    what: '100 entries of a tree',
    signature: 'GET /projects/:id/repository/tree',
    path: `${repository}/tree?ref=${wideBranch}&per_page=100`,
    aim: 1,
  },
  { what: '20 entries of a tree', signature: 'GET /projects/:id/repository/tree', path: `${repository}/tree?ref=${wideBranch}`, aim: 0.6 },
  { what: '20 commits', signature: 'GET /projects/:id/repository/commits', path: `${repository}/commits`, aim: 1 },
  {
    what: 'a file of 4 KB',
    signature: 'GET /projects/:id/repository/files/:file_path',
    path: `${repository}/files/${wideFile}?ref=${wideBranch}`,
    aim: 0.5,
  },
  { what: 'the caller', signature: 'GET /user', path: '/user', aim: 0.5 },
  { what: 'branches', signature: 'GET /projects/:id/repository/branches', path: `${repository}/branches`, aim: 0.5 },
  { what: '20 projects', signature: 'GET /projects', path: '/projects', aim: 0.35 },
  { what: '20 groups', signature: 'GET /groups', path: '/groups', aim: 0.35 },
  { what: '20 users', signature: 'GET /users', path: '/users', aim: 0.35 },
]

/** A forge of its own, with the history and the wide repository in `root/read`, and people, groups and projects beside it. */
export async function measureCost(folder: string, history: string, wide: string): Promise<Row[]> {
  const home = join(folder, 'cost')
  const forge = await startForge(home)
  try {
    await fill(join(home, 'gitstead.sqlite'), { users: 100, groups: 40, projects: 200 })
    await pushToRead(forge, [history, wide])
    const rows: Row[] = []
    for (const reading of readings) rows.push(await compare(forge, reading))
    return rows
  } finally {
    await forge.stop()
  }
}

async function compare(forge: Forge, reading: Reading): Promise<Row> {
  printProgress(`the cost of ${reading.what}`)
  const url = `${forge.url}/api/v4${reading.path}`
  const credentials = { 'private-token': forge.token }
  const response = await fetch(url, { headers: credentials })
  const value: unknown = await response.json()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
  const route = { headers: ownHeaders(response.headers), schema: schemaOf(reading.signature), value }
  const bare = (isLogging: boolean): Promise<Helper> =>
    startHelper('bare.ts', { routes: [{ path: '/0', ...route }], isLogging } satisfies BareInput)
  const [logging, silent] = [await bare(true), await bare(false)]
  try {
    const rounds = await alternate([
      { pid: forge.pid, url, headers: credentials },
      { pid: logging.pid, url: `${logging.url}/0`, headers: {} },
      { pid: silent.pid, url: `${silent.url}/0`, headers: {} },
    ])
    return asRow(reading, rounds)
  } finally {
    await Promise.all([logging.stop(), silent.stop()])
  }
}

/** Microseconds per request of each side in one round. */
type Round = [ours: number, limit: number, silentLimit: number]

/** The ratio is that of rounds, whose runs follow each other: what else the machine does is then the same for both. */
function asRow({ what, signature, aim }: Reading, rounds: Round[]): Row {
  const ratio = median(rounds.map(([ours, limit]) => limit / ours))
  const silentRatio = median(rounds.map(([ours, , silent]) => silent / ours))
  const min = (side: 0 | 1 | 2) => digits(Math.min(...rounds.map((round) => round[side])))
  return {
    what: `CPU for ${what}: \`${signature}\``,
    ours: `${min(0)} µs`,
    limit: `bare Fastify at \`info\`: ${min(1)} µs; without a log ${min(2)} µs`,
    ratio: `${digits(ratio)} (${digits(silentRatio)})`,
    ...atLeast(ratio, aim),
  }
}

interface Target {
  pid: number
  url: string
  headers: Record<string, string>
}

/** The processor time of one request of each, in rounds of short runs. */
async function alternate(targets: [Target, Target, Target]): Promise<Round[]> {
  const rounds: Round[] = []
  for (let round = 0; round <= costRounds; round += 1) {
    const times: number[] = []
    for (const { pid, url, headers } of targets) {
      const before_us = usedCpu_us(pid)
      const result = await autocannon({ url, headers, connections, amount: costRequests })
      if (result.errors > 0 || result.non2xx > 0) throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} refusals`)
      times.push((usedCpu_us(pid) - before_us) / costRequests)
    }
    // The first one warms up.
    if (round > 0) rounds.push(times as Round)
  }
  return rounds
}

/** Headers without those that Node writes by itself, which are the same on both sides. */
function ownHeaders(headers: Headers): Record<string, string> {
  const own = [...headers].filter(([name]) => !['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'].includes(name))
  return Object.fromEntries(own)
}

export function schemaOf(signature: string): TSchema {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === signature)
  if (!endpoint?.reply) throw new Error(`there is no endpoint ${signature}`)
  return endpoint.kind === 'list' ? Type.Array(endpoint.reply) : endpoint.reply
}
