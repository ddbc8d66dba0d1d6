/** What the index of code is worth when the server dies while it writes: it is whole again by itself, and finds what the branches have. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { killGitBelow } from '../support/git-processes.ts'
import { inFullRun } from '../support/tiers.ts'
import { commitTo, expectFound, expectSegmentsWhole, indexed, indexedProject } from './index-lanes.ts'
import { startServer } from './server-process.ts'

const rounds = 2 + Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
/** Of each commit: to read them takes the index some tenths of a second. */
const files = 200

test.skipIf(engine === 'postgres')(
  'after kill -9 while pushes are indexed the index finds each word of the branches where it is, and none that is gone',
  {
    ...inFullRun('7 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + rounds * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    const projects = [1, 2, 3].map((id) => indexedProject(id, files))
    for (const { id } of projects) expect((await server.send('POST', '/projects', { name: `indexed-${id}` })).status).toBe(201)
    for (let round = 0; round < rounds; round += 1) {
      for (const project of projects) expect(await commitTo(server, project)).toBe(true)
      await setTimeout(Math.random() * 600)
      await server.kill()
      if (round % 2 === 1) await killGitBelow(home)
      server = await startServer({ home })
    }
    await indexed(home)
    await expectSegmentsWhole(home)
    await expectFound(server, projects, 20)
    expect(await server.stop()).toBe(0)
  },
)
