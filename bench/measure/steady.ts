/** Reads of a repository at a steady rate, each of another file or commit: how long nine in ten of them take at most. */
import type { Forge } from '../forge.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import { git, runScript } from '../processes.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { different, rate_per_s, steady_s } from '../settings.ts'

const max_ms = 25

/** @param source what was pushed to the project `name`, on this machine */
export async function measureSteady(forge: Forge, source: string, name: string): Promise<Row[]> {
  const repository = `/projects/${encodeURIComponent(name)}/repository`
  const rows: Row[] = []
  for (const [what, paths] of await readingsOf(source)) {
    printProgress(`${what}, ${rate_per_s} requests a second`)
    const latency = await runScript<Steady, Latency>('steady.ts', {
      urls: paths.map((path) => `${forge.url}/api/v4${repository}${path}`),
      headers: { 'private-token': forge.token },
      rate_per_s,
      duration_s: steady_s,
    })
    rows.push({
      what: `${what}, ${paths.length} different at ${rate_per_s}/s: p90`,
      ours: `${digits(latency.p90_ms)} ms (p50 ${digits(latency.p50_ms)} ms, p99 ${digits(latency.p99_ms)} ms)`,
      limit: '',
      ratio: '',
      ...atMost(latency.p90_ms, max_ms, 'ms'),
    })
  }
  return rows
}

async function readingsOf(source: string): Promise<Array<[what: string, paths: string[]]>> {
  const lines = async (...args: string[]) => (await git(source, ...args)).split('\n').filter(Boolean)
  const [branch = ''] = await lines('symbolic-ref', '--short', 'HEAD')
  const commits = spread(await lines('rev-list', '--first-parent', branch))
  const entries = (await lines('ls-tree', '-r', '-t', branch)).map((line) => line.split(/[ \t]/, 4) as [string, string, string, string])
  const pathsOf = (wanted: string) => spread(entries.filter(([, type]) => type === wanted).map(([, , , path]) => encodeURIComponent(path)))
  return [
    ['tree', ['', ...pathsOf('tree')].map((path) => `/tree?path=${path}&ref=${branch}`)],
    ['file', pathsOf('blob').map((file) => `/files/${file}?ref=${branch}`)],
    ['raw', pathsOf('blob').map((file) => `/files/${file}/raw?ref=${branch}`)],
    ['commits', commits.map((oid) => `/commits?ref_name=${oid}`)],
    ['commit', commits.map((oid) => `/commits/${oid}`)],
    ['diff', commits.map((oid) => `/commits/${oid}/diff`)],
    ['tags', [1, 2, 3, 4, 5].map((page) => `/tags?page=${page}`)],
    ['branches', [1, 2, 3, 4, 5].map((page) => `/branches?page=${page}`)],
    ['compare, with the first parent', commits.slice(0, -1).map((oid) => `/compare?from=${oid}~1&to=${oid}`)],
  ]
}

/** So many of them, from all over the list. */
function spread(all: string[]): string[] {
  const step = Math.max(1, all.length / different)
  return Array.from({ length: Math.min(different, all.length) }, (_, index) => all[Math.floor(index * step)] as string)
}
