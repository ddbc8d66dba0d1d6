/** Clones and pushes over our server, against git itself over `file://` and behind its own http-backend. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackendInput } from './backend.ts'
import type { Forge } from './forge.ts'
import { withToken } from './measure-api.ts'
import { git, settledCpu, startHelper, usedCpu } from './processes.ts'
import { atMost, digits, median, type Row, tell } from './report.ts'
import { git_s, leastGitRounds, mostGitRounds } from './settings.ts'

/** A way to a server. */
interface Road {
  name: string
  /** The process whose time is counted; null when the client starts the server's side itself. */
  pid: number | null
  /** Makes an empty repository. */
  prepare: (name: string) => Promise<void>
  pushUrl: (name: string) => string
  cloneUrl: (name: string) => string
}

interface Cost {
  wall_s: number
  server_s: number
}

/** Also gives the address of a repository that was pushed to our server. */
export async function measureGit(forge: Forge, source: string, folder: string): Promise<{ rows: Row[]; cloned: string }> {
  const plain = join(folder, 'plain')
  await mkdir(plain, { recursive: true })
  const backend = await startHelper('backend.ts', { root: plain } satisfies BackendInput)
  try {
    const ours = oursOf(forge)
    const limits = [
      plainRoad('file://', 'file', plain, `file://${plain}`, null),
      plainRoad('http-backend', 'http', plain, backend.url, backend.pid),
    ]
    const roads = [ours, ...limits]
    const pushes = await measurePushes(roads, source)
    const first = await cloneOnce(ours, 'first', source, folder)
    const clones = await measureClones(roads, folder)
    const rows = [...compare('clone', clones), cloneAgain(first, clones.get(ours) ?? []), ...compare('push', pushes)]
    return { rows, cloned: ours.cloneUrl('0') }
  } finally {
    await backend.stop()
  }
}

function oursOf(forge: Forge): Road {
  return {
    name: 'Gitstead',
    pid: forge.pid,
    prepare: async (name) => void (await forge.call('POST', '/projects', { name: `git-${name}`, visibility: 'public' })),
    pushUrl: (name) => `${withToken(forge)}/root/git-${name}.git`,
    cloneUrl: (name) => `${forge.url}/root/git-${name}.git`,
  }
}

function plainRoad(name: string, prefix: string, folder: string, base: string, pid: number | null): Road {
  const url = (repository: string) => `${base}/${prefix}-${repository}.git`
  const prepare = async (repository: string) => void (await git(folder, 'init', '--quiet', '--bare', `${prefix}-${repository}.git`))
  return { name: `git, ${name}`, pid, prepare, pushUrl: url, cloneUrl: url }
}

/** Pushes into a new repository each time; those numbered 0 stay and are cloned later. */
function measurePushes(roads: Road[], source: string): Promise<Map<Road, Cost[]>> {
  return inTurns('pushing', roads, async (road, round) => {
    const name = String(round)
    await road.prepare(name)
    return costOf(road, () => git(source, 'push', '--quiet', road.pushUrl(name), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'))
  })
}

function measureClones(roads: Road[], folder: string): Promise<Map<Road, Cost[]>> {
  const target = join(folder, 'clone.git')
  return inTurns('cloning', roads, async (road) => {
    const cost = await costOf(road, () => git('/', 'clone', '--quiet', '--bare', road.cloneUrl('0'), target))
    await rm(target, { recursive: true })
    return cost
  })
}

/** The first clone of a repository that has just been pushed. */
async function cloneOnce(road: Road, name: string, source: string, folder: string): Promise<Cost> {
  const target = join(folder, 'first.git')
  await road.prepare(name)
  await git(source, 'push', '--quiet', road.pushUrl(name), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*')
  const cost = await costOf(road, () => git('/', 'clone', '--quiet', '--bare', road.cloneUrl(name), target))
  await rm(target, { recursive: true })
  return cost
}

function cloneAgain(first: Cost, later: Cost[]): Row {
  const again_s = median(later.map(({ server_s }) => server_s))
  return {
    what: "a clone of what was cloned before, the server's processor time",
    ours: `${digits(again_s)} s`,
    limit: `its first clone, right after the push: ${digits(first.server_s)} s`,
    ratio: digits(again_s / first.server_s),
    ...atMost(again_s / first.server_s, 0.25),
  }
}

/** Every road once to warm up, then all of them in turn, more often where a round is short. */
async function inTurns(doing: string, roads: Road[], measure: (road: Road, round: number) => Promise<Cost>): Promise<Map<Road, Cost[]>> {
  const costs = new Map<Road, Cost[]>(roads.map((road) => [road, []]))
  let slowest_s = 0
  tell(`${doing}, to warm up`)
  for (const road of roads) slowest_s = Math.max(slowest_s, (await measure(road, 0)).wall_s)
  const least = slowest_s > git_s ? 1 : leastGitRounds
  const rounds = Math.max(least, Math.min(mostGitRounds, Math.floor(git_s / slowest_s)))
  for (let round = 1; round <= rounds; round += 1) {
    tell(`${doing}, ${round} of ${rounds}`)
    for (const road of roads) costs.get(road)?.push(await measure(road, round))
  }
  return costs
}

async function costOf(road: Road, work: () => Promise<unknown>): Promise<Cost> {
  const before_s = road.pid === null ? 0 : usedCpu(road.pid)
  const began = performance.now()
  await work()
  const wall_s = (performance.now() - began) / 1000
  return { wall_s, server_s: road.pid === null ? 0 : (await settledCpu(road.pid)) - before_s }
}

const most = 1.1

/** Wall time against both limits; the server's time against the one that has a server. */
function compare(what: string, costs: Map<Road, Cost[]>): Row[] {
  const [ours, ...limits] = [...costs].map(([{ name, pid }, all]) => ({
    name,
    pid,
    rounds: all.length,
    wall_s: median(all.map(({ wall_s }) => wall_s)),
    server_s: median(all.map(({ server_s }) => server_s)),
  }))
  if (!ours) return []
  const row = (measured: 'wall_s' | 'server_s', label: string, limit: typeof ours): Row => {
    const ratio = ours[measured] / limit[measured]
    return {
      what: `${what}, ${label} (median of ${ours.rounds})`,
      ours: `${digits(ours[measured])} s`,
      limit: `${limit.name}: ${digits(limit[measured])} s`,
      ratio: digits(ratio),
      ...atMost(ratio, most),
    }
  }
  return [
    ...limits.map((limit) => row('wall_s', 'wall time', limit)),
    ...limits.filter(({ pid }) => pid !== null).map((limit) => row('server_s', "the server's processor time", limit)),
  ]
}
