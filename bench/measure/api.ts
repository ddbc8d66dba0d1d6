/** Reads through the API, against bare Fastify giving the same answers. */

import { wideBranch, wideFile } from '../data/repository.ts'
import type { Forge } from '../forge.ts'
import type { BareInput, BareRoute } from '../limits/bare.ts'
import type { Load, Speed } from '../probes/load.ts'
import { type Helper, runScript, startHelper, usedCpu } from '../processes.ts'
import { pushToRead } from '../reading.ts'
import { atLeast, digits, median, printProgress, type Row } from '../report.ts'
import { connections, load_s, loadRounds } from '../settings.ts'
import { schemaOf } from './cost.ts'

/** A read that is measured. */
interface Reading {
  what: string
  /** The endpoint that answers it. */
  signature: string
  path: string
}

const project = '/projects/root%2Fread'
const repository = `${project}/repository`

const readings: Reading[] = [
  { what: 'a project', signature: 'GET /projects/:id', path: project },
  {
    what: 'a page of 100 from a root of 500 entries',
    signature: 'GET /projects/:id/repository/tree',
    path: `${repository}/tree?ref=${wideBranch}&per_page=100`,
  },
  {
    what: 'a file of 4 KB',
    signature: 'GET /projects/:id/repository/files/:file_path',
    path: `${repository}/files/${wideFile}?ref=${wideBranch}`,
  },
  { what: 'a page of 20 commits', signature: 'GET /projects/:id/repository/commits', path: `${repository}/commits` },
]

/** @param wide the repository of the branch with 500 entries; it is pushed beside the history */
export async function measureApi(forge: Forge, history: string, wide: string): Promise<Row[]> {
  await pushToRead(forge, [history, wide])
  const routes = await Promise.all(
    readings.map(
      async ({ signature, path }, index): Promise<BareRoute> => ({
        path: `/${index}`,
        schema: schemaOf(signature),
        value: await forge.call('GET', path),
        headers: {},
      }),
    ),
  )
  const bare = await startHelper('bare.ts', { routes, isLogging: true } satisfies BareInput)
  try {
    const rows: Row[] = []
    for (const [index, reading] of readings.entries()) rows.push(await compare(forge, reading, bare, index))
    return rows
  } finally {
    await bare.stop()
  }
}

/** Short runs of both in turn, so that a machine that is slow for a while is slow for both. */
async function compare(forge: Forge, { what, signature, path }: Reading, bare: Helper, index: number): Promise<Row> {
  printProgress(`reading ${what}`)
  const sides = [
    { pid: forge.pid, url: `${forge.url}/api/v4${path}`, headers: { 'private-token': forge.token } },
    { pid: bare.pid, url: `${bare.url}/${index}`, headers: {} },
  ]
  const speeds: Measured[][] = [[], []]
  for (let round = 0; round <= loadRounds; round += 1) {
    for (const [side, target] of sides.entries()) {
      const speed = await measureLoad(target)
      // The first run warms up.
      if (round > 0) speeds[side]?.push(speed)
    }
  }
  const [ours, limit] = speeds.map(middle) as [Measured, Measured]
  const ratio = ours.requests_per_s / limit.requests_per_s
  return {
    what: `${what}: \`${signature}\``,
    ours: show(ours),
    limit: `bare Fastify: ${show(limit)}`,
    ratio: digits(ratio),
    ...atLeast(ratio, 0.5),
  }
}

interface Measured extends Speed {
  /** The server's processor time for one request. */
  cpu_us: number
}

/** As fast as one address answers a few connections. */
export function loadOf(target: Pick<Load, 'url' | 'headers'>): Promise<Speed> {
  return runScript<Load, Speed>('load.ts', { ...target, connections, duration_s: load_s })
}

async function measureLoad({ pid, ...target }: Pick<Load, 'url' | 'headers'> & { pid: number }): Promise<Measured> {
  const before_s = usedCpu(pid)
  const speed = await loadOf(target)
  return { ...speed, cpu_us: ((usedCpu(pid) - before_s) / speed.requests) * 1e6 }
}

function middle(all: Measured[]): Measured {
  const of = (name: keyof Measured) => median(all.map((measured) => measured[name]))
  return {
    requests: of('requests'),
    requests_per_s: of('requests_per_s'),
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    cpu_us: of('cpu_us'),
  }
}

function show({ requests_per_s, cpu_us, p50_ms, p99_ms }: Measured): string {
  return `${digits(requests_per_s)}/s, ${digits(cpu_us)} µs of CPU (p50 ${digits(p50_ms)} ms, p99 ${digits(p99_ms)} ms)`
}
