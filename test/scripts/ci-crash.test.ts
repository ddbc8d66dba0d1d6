/** What CI is worth when the server dies: a job goes to one runner once, what it sent is there, and no pipeline hangs. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { inFullRun } from '../support/tiers.ts'
import { ageLostJobs, createPipelines, finishJobs, lostBy, prepareCi, wrongJobs } from './ci-lanes.ts'
import { startServer } from './server-process.ts'
import { query } from './settled.ts'

const kills = Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
/** Requests of runners that are acknowledged before each. */
const wantedInRound = 25

test.skipIf(engine === 'postgres')(
  'of jobs among kill -9 at random moments none is given twice, nothing that was acknowledged is lost, and every pipeline ends',
  {
    ...inFullRun('5 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + kills * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    const { project_id, runners } = await prepareCi(server, 4)
    const created = new Set<number>()
    const pushed = new Set<string>()
    const checked = new Set<number>()
    for (let kill = 0; kill < kills; kill += 1) {
      let isAlive = true
      const running = [runners.run(server, () => isAlive), createPipelines(server, project_id, { created, pushed, isAlive: () => isAlive })]
      const until = runners.count() + wantedInRound
      while (runners.count() < until) await setTimeout(2)
      await setTimeout(Math.random() * 100)
      isAlive = false
      await server.kill()
      await Promise.all(running)
      await ageLostJobs(home, runners)
      server = await startServer({ home, port: Number(new URL(server.url).port) })
      expect([...runners.wrong, ...(await lostBy(server, project_id, { runners, checked }))]).toEqual([])
    }
    await finishJobs(server, runners)
    expect([...runners.wrong, ...(await lostBy(server, project_id, { runners, checked }))]).toEqual([])
    expect(await wrongJobs(home, runners)).toEqual([])
    const pipelines = await query(home, (db) => db.selectFrom('pipelines').select(['id', 'sha', 'status']).execute())
    expect([...new Set(pipelines.map(({ status }) => status))].filter((status) => status !== 'success' && status !== 'failed')).toEqual([])
    expect([...created].filter((id) => !pipelines.some((one) => one.id === id))).toEqual([])
    expect([...pushed].filter((sha) => !pipelines.some((one) => one.sha === sha))).toEqual([])
    if (process.env.GITSTEAD_TEST_KILLS) console.info(`${kills} kills, ${pipelines.length} pipelines, ${runners.given.size} jobs`)
    expect(await server.stop()).toBe(0)
  },
)
