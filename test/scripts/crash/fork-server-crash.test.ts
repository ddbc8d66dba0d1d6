/** The process that starts git is killed under a server that is at work. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { git, tryGit } from '../../support/git.ts'
import { gitProcesses } from '../../support/git-processes.ts'
import { descendants, readProc } from '../../support/proc.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { startServer } from '../server-process.ts'

const waits = { timeout: 20_000, interval: 20 }

function forkServersOf(pid: number): number[] {
  return descendants(String(pid))
    .filter((child) => readProc(`${child}/cmdline`).includes('fork-server.js'))
    .map(Number)
}

function lives(pid: number): boolean {
  const status = readProc(`${pid}/status`)
  return status !== '' && !/^State:\s+Z/m.test(status)
}

const reason = '30 s of processor; fork-server.test.ts kills it under a hundred programs in the gate'

test('kill -9 of it among 200 pushes loses none that was acknowledged, and hangs none', inFullRun(reason), async () => {
  const server = await startServer()
  const made = await server.send('POST', '/projects', { name: 'pushed' })
  const { id } = (await made.json()) as { id: number }
  const dir = join(server.home, 'repositories', hashedPath(id))
  const acknowledged: [ref: string, oid: string][] = []
  let asked = 0
  const killAfter = [30, 70, 110, 150]
  const lane = async (number: number) => {
    const work = await workTree()
    for (let index = 0; index < 25; index += 1) {
      const ref = `refs/heads/lane-${number}-${index}`
      const oid = await commit(work, { [`${number}.txt`]: ref })
      asked += 1
      if (killAfter[0] !== undefined && asked >= killAfter[0]) {
        killAfter.shift()
        for (const pid of forkServersOf(server.pid)) process.kill(pid, 'SIGKILL')
      }
      if ((await tryGit(work, 'push', '--quiet', server.remote('pushed'), `${oid}:${ref}`)).code === 0) acknowledged.push([ref, oid])
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)))

  expect(killAfter).toEqual([])
  // A kill fails what runs at that moment: at most the pushes of the eight lanes, four times.
  expect(acknowledged.length).toBeGreaterThanOrEqual(200 - 32)
  const refs = new Map(
    (await git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').map((line) => line.split(' ') as [string, string]),
  )
  for (const [ref, oid] of acknowledged) expect([ref, refs.get(ref)]).toEqual([ref, oid])
  expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
  expect(server.lives()).toBe(true)
  expect(forkServersOf(server.pid).length).toBe(1)
  expect(await server.status(`/projects/${id}/repository/commits/lane-0-0`)).toBe(
    acknowledged.some(([ref]) => ref.endsWith('lane-0-0')) ? 200 : 404,
  )
})

test(
  'it ends with a server that stops, and with one that is killed; no git lives on',
  inFullRun('3 s of processor: two servers. fork-server.test.ts ends the process that it works for, in order and by a kill.'),
  async () => {
    for (const how of ['stop', 'kill'] as const) {
      const server = await startServer()
      const made = await server.send('POST', '/projects', { name: 'read', initialize_with_readme: true })
      const { id } = (await made.json()) as { id: number }
      expect(await server.status(`/projects/${id}/repository/commits`)).toBe(200)
      const [pid] = forkServersOf(server.pid)
      expect(pid).toBeGreaterThan(0)
      await server[how]()
      await expect.poll(() => lives(pid as number), waits).toBe(false)
      await expect.poll(() => gitProcesses(server.home).length, waits).toBe(0)
    }
  },
)
