/** Compares a server of two processes with one of a single process: reads of the API by wrk, which takes little of the processor itself. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Forge, startForge } from '../forge.ts'
import { childrenOf, pause, usedCpu } from '../processes.ts'
import { atLeast, digits, printProgress, type Row } from '../report.ts'
import { readers, reads_s } from '../settings.ts'

const minCapacity = 1.7
const processes = 2

interface Carried {
  requests_per_s: number
  /** Processor time of all processes of the server. */
  us_per_request: number
}

/** The machine's cores are shared with the load: so there are two ratios, of what was measured and of what the processor time allows. */
export async function measureProcesses(folder: string): Promise<Row[]> {
  const found: Array<Map<string, Carried>> = []
  for (const count of [1, processes]) {
    const forge = await startForge(join(folder, `processes-${count}`), { processes: count })
    try {
      await prepare(forge)
      if (count > 1) await everyWorker(forge, count)
      found.push(await measureReads(forge, count))
    } finally {
      await forge.stop()
    }
  }
  const [one, several] = found as [Map<string, Carried>, Map<string, Carried>]
  return [...one].map(([what, alone]) => {
    const together = several.get(what) as Carried
    const ratio = together.requests_per_s / alone.requests_per_s
    const capacity = (processes * alone.us_per_request) / together.us_per_request
    return {
      what: `reads of ${what} a second, ${processes} processes against one`,
      ours: `${digits(together.requests_per_s)} (${digits(together.us_per_request)} µs of processor each; by that ${digits(capacity)} times)`,
      limit: `${digits(alone.requests_per_s)} (${digits(alone.us_per_request)} µs each)`,
      ratio: digits(ratio),
      ...atLeast(capacity, minCapacity),
    }
  })
}

const reads = new Map([
  ['a project', '/projects/1'],
  ['a tree', '/projects/1/repository/tree'],
  ['a file', '/projects/1/repository/files/README.md?ref=main'],
])

async function prepare(forge: Forge): Promise<void> {
  await forge.call('POST', '/projects', { name: 'read' })
  const actions = [{ action: 'create', file_path: 'README.md', content: '# Read\n' }]
  await forge.call('POST', '/projects/1/repository/commits', { branch: 'main', commit_message: 'Add a file', actions })
  await forge.settled()
}

/** The first listens some time before the others. */
async function everyWorker(forge: Forge, count: number): Promise<void> {
  while (!(await (await fetch(`${forge.url}/-/metrics`)).text()).includes(`gitstead_processes ${count}\n`)) await pause(100)
  await pause(2_000)
}

async function measureReads(forge: Forge, count: number): Promise<Map<string, Carried>> {
  const carried = new Map<string, Carried>()
  for (const [what, path] of reads) {
    printProgress(`reading ${what}, ${count} ${count === 1 ? 'process' : 'processes'}`)
    await load(forge, path, 2)
    const before_s = cpuOf(forge, count)
    const { requests, took_s } = await load(forge, path, reads_s)
    const us_per_request = ((cpuOf(forge, count) - before_s) / requests) * 1e6
    carried.set(what, { requests_per_s: requests / took_s, us_per_request })
  }
  return carried
}

/** Git's processes are children of the workers, and not among these. */
function cpuOf({ pid }: Forge, count: number): number {
  const pids = count === 1 ? [pid] : [pid, ...childrenOf(pid)]
  return pids.reduce((sum, each) => sum + usedCpu(each), 0)
}

async function load({ url, token }: Forge, path: string, duration_s: number): Promise<{ requests: number; took_s: number }> {
  const began = performance.now()
  const args = ['-t1', `-c${readers}`, `-d${duration_s}s`, '-H', `private-token: ${token}`, `${url}/api/v4${path}`]
  const { stdout } = await promisify(execFile)('wrk', args)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  return { requests: Number(/(\d+) requests in/.exec(stdout)?.[1]), took_s: (performance.now() - began) / 1_000 }
}
