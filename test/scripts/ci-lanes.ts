/** Pipelines and runners of a server that may die at any moment, and whether each job went to one runner and ended. */
import { setTimeout } from 'node:timers/promises'
import { lostOf, type Runners, runnersOf } from './ci-runners.ts'
import type { ServerProcess } from './server-process.ts'
import { query, settled } from './settled.ts'

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

/** A project with pipelines, and as many runners. */
export async function prepareCi(server: ServerProcess, count: number): Promise<{ project_id: number; runners: Runners }> {
  const project = (await (await server.send('POST', '/projects', { name: 'ci' })).json()) as { id: number; runners_token: string }
  const runners = []
  while (runners.length < count) {
    const answer = await server.send('POST', '/runners', { token: project.runners_token })
    runners.push((await answer.json()) as { id: number; token: string })
  }
  await commit(server, project.id, { path: '.gitlab-ci.yml', content: config })
  return { project_id: project.id, runners: runnersOf(runners) }
}

async function commit(
  server: ServerProcess,
  project_id: number,
  { path, content }: { path: string; content: string },
): Promise<string | null> {
  const actions = [{ action: 'create', file_path: path, content }]
  const body = { branch: 'main', commit_message: `Add ${path}`, actions }
  const answer = await server.send('POST', `/projects/${project_id}/repository/commits`, body)
  return answer.status === 201 ? ((await answer.json()) as { id: string }).id : null
}

let names = 0

/** Pipelines by request and by push in turn, as long as few jobs are open. */
export async function createPipelines(
  server: ServerProcess,
  project_id: number,
  { created, pushed, isAlive }: { created: Set<number>; pushed: Set<string>; isAlive: () => boolean },
): Promise<void> {
  while (isAlive()) {
    try {
      const open = await server.send('GET', `/projects/${project_id}/jobs?scope[]=pending&scope[]=running&scope[]=created&per_page=1`)
      if (Number(open.headers.get('x-total')) > enough) {
        await setTimeout(20)
        continue
      }
      names += 1
      const sha = names % 2 === 0 ? await commit(server, project_id, { path: `file-${names}`, content: 'text' }) : null
      if (sha) pushed.add(sha)
      if (names % 2 === 0) continue
      const answer = await server.send('POST', `/projects/${project_id}/pipeline`, { ref: 'main' })
      if (answer.status === 201) created.add(((await answer.json()) as { id: number }).id)
    } catch {
      await setTimeout(2)
    }
  }
}

/** While the server is down: jobs that were given with an answer that no runner got were taken hours ago. */
export async function ageLostJobs(home: string, { given }: Runners): Promise<void> {
  await query(home, async (db) => {
    const rows = await db.selectFrom('commit_statuses').select('id').where('status', '=', 'running').execute()
    const ids = rows.map(({ id }) => id).filter((id) => !given.has(id))
    if (ids.length === 0) return
    await db.updateTable('commit_statuses').set({ started_at: long_ago, updated_at: long_ago }).where('id', 'in', ids).execute()
  })
}

/** Of jobs that ended before an earlier kill nothing can change any more. */
export async function lostBy(
  server: ServerProcess,
  project_id: number,
  { runners: { given }, checked }: { runners: Runners; checked: Set<number> },
): Promise<string[]> {
  const found: string[] = []
  for (const job of given.values()) {
    if (checked.has(job.id)) continue
    found.push(...(await lostOf(server, project_id, job)))
    if (job.end) checked.add(job.id)
  }
  return found
}

/** Until no job is open. */
export async function finishJobs(server: ServerProcess, runners: Runners): Promise<void> {
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
export function wrongJobs(home: string, { given }: Runners): Promise<string[]> {
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
