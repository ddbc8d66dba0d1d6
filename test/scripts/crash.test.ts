/** What a push and an API commit are worth when the server dies: all that was acknowledged, and nothing half. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedPath } from '../../src/git/repository/repository.ts'
import { engine } from '../support/database.ts'
import { testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { killGitBelow } from '../support/git-processes.ts'
import { inFullRun } from '../support/tiers.ts'
import { type Acknowledged, everyLane, missingOf, runLanes } from './acknowledged.ts'
import { type AcknowledgedRef, expectEverythingTold } from './ref-events.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { settled } from './settled.ts'
import { commit, workTree } from './wire.ts'

/** So many times the server is killed; every second time its git with it. */
const kills = Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
/** Even: the last is one in which the machine dies, too. */
const rounds = 2 * kills
const wanted = 12 * rounds

test.skipIf(engine === 'postgres')(
  'of pushes and API commits among kill -9 at random moments none that was acknowledged is lost, and none is without its event',
  {
    ...inFullRun('9 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + kills * 60_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    expect((await server.send('POST', '/projects', { name: 'crash' })).status).toBe(201)
    const work = await workTree()
    await git(work, 'push', '--quiet', server.remote('crash'), 'main')
    const lanes = [pushLane(await cloneOf(work, 'a')), pushLane(await cloneOf(work, 'b')), commitLane('c'), commitLane('d')]
    const acknowledged: AcknowledgedRef[] = []
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
      await setTimeout(Math.random() * 300)
      alive = false
      await server.kill()
      // Every second time the machine dies with it: git has no time to clean up.
      if (round % 2 === 1) await killGitBelow(home)
      await Promise.all(running)
      server = await startServer({ home })
    }

    const dir = join(home, 'repositories', hashedPath(1))
    await settled(home)
    expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
    expect(acknowledged.length).toBeGreaterThan(20)
    await expectEverythingTold(home, 1, acknowledged)
    for (const lane of lanes) expect(await lane(server)).not.toBeNull()
    expect(await server.stop()).toBe(0)
  },
)

type Lane = (server: ServerProcess) => Promise<AcknowledgedRef | null>

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

test.skipIf(engine === 'postgres')(
  'nothing that was acknowledged is lost by kill -9: new and old projects, forks, imports, large files, uploads',
  {
    ...inFullRun('11 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + kills * 60_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    const lanes = await everyLane(server, await (await testForge()).folder())
    const acknowledged: Acknowledged[] = []
    for (let round = 0; round < kills; round += 1) {
      const end = async () => {
        await server.kill()
        if (round % 2 === 1) await killGitBelow(home)
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
