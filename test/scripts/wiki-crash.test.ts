/** What a push and a write to a wiki are worth when the server dies: all that was acknowledged, and nothing half. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedWikiPath } from '../../src/git/repository/repository.ts'
import { engine } from '../support/database.ts'
import { git } from '../support/git.ts'
import { killGitBelow } from '../support/git-processes.ts'
import { inFullRun } from '../support/tiers.ts'
import { startServer } from './server-process.ts'
import { query, settled } from './settled.ts'
import { expectWikiHolds, wikiLanes } from './wiki-lanes.ts'
import { workTree } from './wire.ts'

const rounds = 2 * Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
const wantedInRound = 8

test.skipIf(engine === 'postgres')(
  'of pushes and API writes to a wiki among kill -9 at random moments none that was acknowledged is lost',
  {
    ...inFullRun('9 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + rounds * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    expect((await server.send('POST', '/projects', { name: 'crash' })).status).toBe(201)
    const dir = await workTree({ 'home.md': 'Home' })
    await git(dir, 'push', '--quiet', server.remote('crash.wiki'), 'main')
    const lanes = wikiLanes({ id: 1, path: 'crash' }, dir)
    const acknowledged: Record<string, string> = { 'HEAD:home.md': 'Home' }
    let count = 0
    for (let round = 0; round < rounds; round += 1) {
      let isAlive = true
      const running = lanes.map(async (lane) => {
        while (isAlive) {
          const done = await lane(server).catch(() => null)
          if (done) count += 1
          Object.assign(acknowledged, done)
        }
      })
      const until = count + wantedInRound
      while (count < until) await setTimeout(5)
      await setTimeout(Math.random() * 200)
      isAlive = false
      await server.kill()
      // Every second time the machine dies with it: git has no time to clean up.
      if (round % 2 === 1) await killGitBelow(home)
      await Promise.all(running)
      server = await startServer({ home })
      await settled(home)
      await expectWikiHolds(join(home, 'repositories', hashedWikiPath(1)), acknowledged)
    }
    for (const lane of lanes) expect(await lane(server)).not.toBeNull()
    const [wiki] = await query(home, (db) => db.selectFrom('wikis').select(['id', 'push_count']).execute())
    expect(wiki?.push_count).toBeGreaterThanOrEqual(count)
    expect(await server.stop()).toBe(0)
  },
)
