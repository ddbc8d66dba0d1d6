/** CI survives a server that dies: a job goes to one runner once, everything it sent is there, and no pipeline hangs. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { lostOf, type Runners, runnersOf } from './ci-runners.ts'
import { query, settled } from './settled.ts'

const chance = chanceOf('kills of CI')

const kills = Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
/** Requests of runners that are acknowledged before each. */
const wantedInRound = 25
/** Fewer jobs than that are open before another pipeline is created. */
const enough = 12

const config = `
workflow: {auto_cancel: {on_new_commit: none}}
stages: [build, test, after]
build: {stage: build, parallel: 2, script: [make], retry: 1}
unit: {stage: test, script: [make test], needs: ['build 1/2']}
alone: {stage: test, script: [make alone], resource_group: one, needs: []}
later: {stage: test, script: [make later], when: delayed, start_in: 1 second}
always: {stage: after, script: [make clean], when: always}
`

/** As the job that ends lost ones sees them: without a word of their runner for longer than it waits. */
const long_ago = new Date(Date.now() - 3 * 3_600_000).toISOString()

test.skipIf(engine === 'postgres')(
  'kill -9 at random moments: no job is given twice, nothing acknowledged is lost, and every pipeline ends',
  {
    ...inFullRun('8 s of processor. crash.test.ts kills a server among pushes, writes by the API and housekeeping.'),
    timeout: 120_000 + kills * 30_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    const runners = runnersOf(await prepare(server))
    const created = new Set<number>()
    const pushed = new Set<string>()
    const checked = new Set<number>()
    for (let kill = 0; kill < kills; kill += 1) {
      let isAlive = true
      const running = [runners.run(server, () => isAlive), create(server, { created, pushed, isAlive: () => isAlive })]
      const until = runners.count() + wantedInRound
      while (runners.count() < until) await setTimeout(2)
      await setTimeout(chance() * 100)
      isAlive = false
      await server.kill()
      await Promise.all(running)
      await age(home, runners)
      server = await startServer({ home, port: Number(new URL(server.url).port) })
      expect([...runners.wrong, ...(await lost(server, runners, checked))]).toEqual([])
    }
    await finish(server, runners)
    expect([...runners.wrong, ...(await lost(server, runners, checked))]).toEqual([])
    expect(await wrongRows(home, runners)).toEqual([])
    const pipelines = await query(home, (db) => db.selectFrom('pipelines').select(['id', 'sha', 'status']).execute())
    expect([...new Set(pipelines.map(({ status }) => status))].filter((status) => status !== 'success' && status !== 'failed')).toEqual([])
    expect([...created].filter((id) => !pipelines.some((one) => one.id === id))).toEqual([])
    expect([...pushed].filter((sha) => !pipelines.some((one) => one.sha === sha))).toEqual([])
    if (process.env.GITSTEAD_TEST_KILLS) console.info(`${kills} kills, ${pipelines.length} pipelines, ${runners.given.size} jobs`)
    expect(await server.stop()).toBe(0)
  },
)

async function prepare(server: ServerProcess): Promise<Array<{ id: number; token: string }>> {
  const project = (await (await server.send('POST', '/projects', { name: 'ci' })).json()) as { runners_token: string }
  const runners = []
  for (let count = 0; count < 4; count += 1) {
    const answer = await server.send('POST', '/runners', { token: project.runners_token })
    runners.push((await answer.json()) as { id: number; token: string })
  }
  await commit(server, '.gitlab-ci.yml', config)
  return runners
}

async function commit(server: ServerProcess, path: string, content: string): Promise<string | null> {
  const actions = [{ action: 'create', file_path: path, content }]
  const answer = await server.send('POST', '/projects/1/repository/commits', { branch: 'main', commit_message: `Add ${path}`, actions })
  return answer.status === 201 ? ((await answer.json()) as { id: string }).id : null
}

let names = 0

/** Pipelines by request and by push in turn, as long as few jobs are open. */
async function create(
  server: ServerProcess,
  { created, pushed, isAlive }: { created: Set<number>; pushed: Set<string>; isAlive: () => boolean },
): Promise<void> {
  while (isAlive()) {
    try {
      const open = await server.send('GET', '/projects/1/jobs?scope[]=pending&scope[]=running&scope[]=created&per_page=1')
      if (Number(open.headers.get('x-total')) > enough) {
        await setTimeout(20)
        continue
      }
      names += 1
      const sha = names % 2 === 0 ? await commit(server, `file-${names}`, 'text') : null
      if (sha) pushed.add(sha)
      if (names % 2 === 0) continue
      const answer = await server.send('POST', '/projects/1/pipeline', { ref: 'main' })
      if (answer.status === 201) created.add(((await answer.json()) as { id: number }).id)
    } catch {
      await setTimeout(2)
    }
  }
}

/** While the server is down: jobs that were given with an answer that no runner got were taken hours ago. */
async function age(home: string, { given }: Runners): Promise<void> {
  await query(home, async (db) => {
    const rows = await db.selectFrom('commit_statuses').select('id').where('status', '=', 'running').execute()
    const ids = rows.map(({ id }) => id).filter((id) => !given.has(id))
    if (ids.length === 0) return
    await db.updateTable('commit_statuses').set({ started_at: long_ago, updated_at: long_ago }).where('id', 'in', ids).execute()
  })
}

/** Looks for lost data. Jobs that ended before an earlier kill were checked then, and nothing can change them any more. */
async function lost(server: ServerProcess, { given }: Runners, checked: Set<number>): Promise<string[]> {
  const found: string[] = []
  for (const job of given.values()) {
    if (checked.has(job.id)) continue
    found.push(...(await lostOf(server, 1, job)))
    if (job.end) checked.add(job.id)
  }
  return found
}

/** Until no job is open. */
async function finish(server: ServerProcess, runners: Runners): Promise<void> {
  let isAlive = true
  const running = runners.run(server, () => isAlive)
  const open = ['created', 'waiting_for_resource', 'pending', 'running', 'scheduled'] as const
  for (;;) {
    await settled(server.home, ['pipelines.build_push', 'pipelines.start_next'])
    const rows = await query(server.home, (db) => db.selectFrom('pipelines').select('id').where('status', 'in', open).execute())
    if (rows.length === 0) break
    await setTimeout(50)
  }
  isAlive = false
  await running
}

/** Jobs that are not as their runner left them. */
function wrongRows(home: string, { given }: Runners): Promise<string[]> {
  return query(home, async (db) => {
    const rows = await db.selectFrom('commit_statuses').select(['id', 'status', 'runner_id', 'failure_reason']).execute()
    const queued = await db.selectFrom('ci_queue').selectAll().execute()
    const wrong = rows.flatMap(({ id, status, runner_id, failure_reason }) => {
      const job = given.get(id)
      if (!job)
        return runner_id === null || failure_reason === 'stuck_or_timeout_failure' ? [] : [`job ${id} was given to nobody: ${status}`]
      const expected = id % 5 === 0 ? 'failed' : 'success'
      return runner_id === job.runner_id && status === expected ? [] : [`job ${id} of runner ${job.runner_id}: ${status}, ${runner_id}`]
    })
    return queued.length === 0 ? wrong : [...wrong, `${queued.length} jobs are queued`]
  })
}
