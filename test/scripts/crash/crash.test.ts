/** Pushes and API commits survive a server that dies: everything acknowledged is there, and nothing by halves. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { killGitBelow } from '../../support/git-processes.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { everyLane, type Acknowledged as Kept, missingOf, runLanes } from './acknowledged.ts'
import { query, settled } from './settled.ts'

const chance = chanceOf('kills')

cpuBudget(17, 'A server is killed and started again under all kinds of writes.')

/** So many times the server is killed; every second time its git with it. */
const kills = Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
/** Even: the last is one in which the machine dies, too. */
const rounds = 2 * kills
const wanted = 12 * rounds

interface Acknowledged {
  ref: string
  oid: string
}

test.skipIf(engine === 'postgres')(
  'kill -9 at random moments: no acknowledged push or API commit is lost, and each has its event',
  { ...inFullRun('10 s of processor. The other test kills a server among these writes and others.'), timeout: 120_000 + kills * 60_000 },
  async () => {
    let server = await startServer()
    const { home } = server
    expect((await server.send('POST', '/projects', { name: 'crash' })).status).toBe(201)
    const work = await workTree()
    await git(work, 'push', '--quiet', server.remote('crash'), 'main')
    const lanes = [pushLane(await cloneOf(work, 'a')), pushLane(await cloneOf(work, 'b')), commitLane('c'), commitLane('d')]
    const acknowledged: Acknowledged[] = []
    let attempts = 0

    for (let round = 0; round < rounds; round += 1) {
      let alive = true
      const running = lanes.map(async (lane) => {
        while (alive) {
          attempts += 1
          const done = await lane(server).catch(() => null)
          if (done) acknowledged.push(done)
        }
      })
      // After so many, not after so long: on a busy machine it would be few.
      while (attempts < ((round + 1) * wanted) / rounds) await setTimeout(5)
      await setTimeout(chance() * 300)
      alive = false
      await server.kill()
      // Every second time the machine dies with it: git has no time to clean up.
      if (round % 2 === 1) killGitBelow(home)
      await Promise.all(running)
      server = await startServer({ home })
    }

    const dir = join(home, 'repositories', hashedPath(1))
    await settled(home)
    expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
    await expectEverythingTold(home, dir, acknowledged)
    for (const lane of lanes) expect(await lane(server)).not.toBeNull()
    expect(await server.stop()).toBe(0)
  },
)

type Lane = (server: ServerProcess) => Promise<Acknowledged | null>

async function cloneOf(work: string, branch: string): Promise<string> {
  await git(work, 'worktree', 'add', '--quiet', '-b', branch, `${work}-${branch}`)
  return `${work}-${branch}`
}

/** Commits and pushes; what an earlier push left undone goes with it. */
function pushLane(dir: string): Lane {
  return async (server) => {
    const oid = await commit(dir, { 'file.txt': String(Math.random()) })
    const branch = await git(dir, 'rev-parse', '--abbrev-ref', 'HEAD')
    const { code } = await tryGit(dir, 'push', '--quiet', server.remote('crash'), branch)
    return code === 0 ? { ref: `refs/heads/${branch}`, oid } : null
  }
}

function commitLane(branch: string): Lane {
  return async (server) => {
    const actions = [{ action: 'create', file_path: `${Math.random()}.txt`, content: 'text' }]
    const exists = (await server.status(`/projects/1/repository/branches/${branch}`)) === 200
    const answer = await server.send('POST', '/projects/1/repository/commits', {
      branch,
      ...(!exists && { start_branch: 'main' }),
      commit_message: 'Add a file',
      actions,
    })
    if (answer.status !== 201) return null
    return { ref: `refs/heads/${branch}`, oid: ((await answer.json()) as { id: string }).id }
  }
}

/** The events of each ref lead, without a gap and without a repetition, from nothing to where the ref is now. */
async function expectEverythingTold(home: string, dir: string, acknowledged: Acknowledged[]): Promise<void> {
  const events = await query(home, (db) =>
    db.selectFrom('events').select(['ref', 'before_oid', 'after_oid']).where('action', '=', 'pushed').orderBy('id').execute(),
  )
  const refs = (await git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').map((line) => line.split(' '))
  for (const [ref, tip] of refs) {
    const steps = new Map(events.filter((event) => event.ref === ref).map(({ before_oid, after_oid }) => [before_oid, after_oid]))
    const path: unknown[] = []
    for (let at = steps.get(null); at; at = steps.get(at)) path.push(at)
    expect([ref, path.length, path.at(-1)]).toEqual([ref, events.filter((event) => event.ref === ref).length, tip])
  }
  const told = new Set(events.map(({ ref, after_oid }) => `${ref} ${after_oid}`))
  expect(acknowledged.length).toBeGreaterThan(20)
  expect(acknowledged.filter(({ ref, oid }) => !told.has(`${ref} ${oid}`))).toEqual([])
}

test.skipIf(engine === 'postgres')(
  'nothing that was acknowledged is lost by kill -9: new and old projects, forks, imports, large files, uploads',
  { timeout: 120_000 + kills * 60_000 },
  async () => {
    let server = await startServer()
    const { home } = server
    const lanes = await everyLane(server, await (await testForge()).folder())
    const acknowledged: Kept[] = []
    for (let round = 0; round < kills; round += 1) {
      const end = async () => {
        await server.kill()
        if (round % 2 === 1) killGitBelow(home)
      }
      const fresh = await runLanes(server, lanes, 1, end)
      server = await startServer({ home })
      expect(await missingOf(server, fresh)).toEqual([])
      acknowledged.push(...fresh)
    }
    expect(await missingOf(server, acknowledged)).toEqual([])
    await settled(home)
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills * lanes.length)
    console.log(`${kills} kills: ${acknowledged.length} acknowledged, none lost`)
    expect(await server.stop()).toBe(0)
  },
)
