/** The merge queue survives a server that dies during real pipelines: the target branch is never red, and no merge request is stuck. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import type { Tables } from '../../../src/db/tables.ts'
import { probeSandbox } from '../../../src/runner/shell/sandbox.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { engine } from '../../support/database.ts'
import { git, gitReading } from '../../support/git.ts'
import { gitsteadProgram } from '../../support/program.ts'
import { atEndOfFile } from '../../support/run/cleanup.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { workersOf } from '../workers.ts'

const chance = chanceOf('kills of the merge queue')

/** Merge requests in the queue. 500 take about five minutes. */
const wanted = Number(process.env.GITSTEAD_TEST_QUEUED ?? 30)
/** One kill for so many requests. */
const perKill = 12
/** One in so many requests removes something that the next one needs: each is green alone. */
const culpritEvery = 20

/** Every ten requests include a stack of three: 2, which is squashed, then 3 and 4. Only the lowest is added; the others must follow it. */
const belowOf = (iid: number): number | null => (iid % 10 === 3 || iid % 10 === 4 ? iid - 1 : null)
const isSquashed = (iid: number) => iid % 10 === 2

/**
 * Each file of `uses` is the name of one of `definitions`. No request is to blame for a server that dies while a job fetches from it, nor for
 * `endJobsOfDead`, which makes a job that goes on seem to have taken hours.
 */
const config = `
variables: {GET_SOURCES_ATTEMPTS: '10'}
check:
  script: ['for used in uses/*; do test -e "definitions/\${used#uses/}"; done']
  rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"'}]
  retry: {max: 2, when: [stuck_or_timeout_failure, runner_system_failure, job_execution_timeout]}
`

test(`merge requests that are green alone and red together never make the target red, through kill -9 (${engine})`, {
  ...inFullRun(
    '40 s of processor. merge-trains.test.ts has the queue without a runner and a kill; merge-crash.test.ts kills merges without a queue.',
  ),
  timeout: 120_000 + wanted * 4_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-queue-'))
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(folder, 'home')
  const database = await prepareDataFolder(home)
  const env = { GITSTEAD_PROCESSES: engine === 'postgres' ? '2' : '1' }
  const options = { home, env, ...(database.url && { database_url: database.url }) }
  let server = await startServer(options)
  const port = Number(new URL(server.url).port)
  const db = openDatabase(database.location)

  await prepare(server, folder)
  await stack(db)
  const runner = await startRunner(server, join(folder, 'runner'))
  let isAdded = false
  const adding = add(() => server).finally(() => {
    isAdded = true
  })
  let kills = 0
  while (!isAdded || (await waiting(db)) > 0) {
    if ((await merged(db)) < (kills + 1) * perKill) {
      await setTimeout(20)
      continue
    }
    await setTimeout(chance() * 300)
    kills += 1
    const [worker] = engine === 'postgres' ? await workersOf(server) : []
    // Alone, while the other process goes on; or all of them.
    if (worker && kills % 2 === 0) process.kill(worker, 'SIGKILL')
    else {
      await server.kill()
      await endJobsOfDead(db)
      server = await startServer({ ...options, port })
    }
  }
  await adding
  runner.kill('SIGKILL')

  const requests = await db.selectFrom('merge_requests').select(['iid', 'state']).orderBy('iid').execute()
  const open = requests.filter(({ state }) => state !== 'merged').map(({ iid }) => iid)
  expect(open, await reasons(db, server)).toEqual(culprits().map((iid) => iid + 1))
  expect(await db.selectFrom('push_intents').select('id').execute()).toEqual([])
  expect(await db.selectFrom('stacked_merges').selectAll().execute()).toEqual([])
  const others = db.selectFrom('merge_requests').select(['iid', 'target_branch']).where('state', '=', 'merged')
  expect(await others.where('target_branch', '<>', 'main').execute()).toEqual([])
  expect(await writtenTwice(server, folder)).toEqual([])
  const [red, commits] = await redCommits(server, folder)
  expect(red).toEqual([])
  const pipelines = await db.selectFrom('pipelines').select('id').execute()
  const perMerge = pipelines.length / (requests.length - open.length)
  if (process.env.GITSTEAD_TEST_QUEUED)
    console.info(
      `${requests.length - open.length} merged, ${open.length} left, ${kills} kills, ${commits} commits, ${perMerge.toFixed(2)} pipelines a merge`,
    )
  expect(perMerge).toBeLessThanOrEqual(1.2)
  expect(await server.stop()).toBe(0)
  await db.destroy()
  await database.drop()
})

const numbers = Array.from({ length: wanted }, (_, index) => index + 1)

/** Each takes a definition away which the one after it begins to use. */
function culprits(): number[] {
  return numbers.filter((iid) => iid % culpritEvery === culpritEvery / 2 && iid < wanted)
}

/** One branch and merge request for each number, all of the same commit of the target. */
async function prepare(server: ServerProcess, folder: string): Promise<void> {
  const own = new Set(culprits())
  const lines = ['commit refs/heads/main', 'committer ci <ci@example.com> 0 +0000', data('First'), file('.gitlab-ci.yml', config)]
  for (const iid of numbers) lines.push(file(`definitions/${iid}`, `${iid}\n`))
  lines.push(file('uses/1', ''))
  for (const iid of numbers) {
    const from = `from refs/heads/${targetOf(iid)}`
    lines.push(`commit refs/heads/topic-${iid}`, 'committer ci <ci@example.com> 0 +0000', data(`Topic ${iid}`), from)
    if (own.has(iid)) lines.push(`D definitions/${iid + 1}`)
    else lines.push(file(`uses/${iid}`, `by ${iid}\n`))
    if (isSquashed(iid))
      lines.push(`commit refs/heads/topic-${iid}`, 'committer ci <ci@example.com> 0 +0000', data('More'), file(`more/${iid}`, 'x'))
  }
  const dir = join(folder, 'work')
  await git(folder, 'init', '-q', '--bare', dir)
  await gitReading(dir, `${lines.join('\n')}\n`, 'fast-import', '--quiet')
  await git(dir, 'push', '-q', server.remote('queue'), 'main', '+refs/heads/topic-*:refs/heads/topic-*')
  const settings = { merge_trains_enabled: true, merge_train_batch_size: 8 }
  expect((await server.send('PUT', '/projects/1', settings)).status).toBe(200)
  for (const iid of numbers) {
    const asked = { source_branch: `topic-${iid}`, target_branch: targetOf(iid), title: `Topic ${iid}`, squash: isSquashed(iid) }
    expect((await server.send('POST', '/projects/1/merge_requests', asked)).status).toBe(201)
  }
}

const targetOf = (iid: number) => (belowOf(iid) === null ? 'main' : `topic-${belowOf(iid)}`)

/** As merging a stack as a whole by its page does, before the lowest is added. */
async function stack(db: Kysely<Tables>): Promise<void> {
  const requests = await db.selectFrom('merge_requests').select(['id', 'iid', 'author_id', 'head_oid']).execute()
  for (const { id, iid, author_id, head_oid } of requests) {
    const below = requests.find((one) => one.iid === belowOf(iid))
    const row = {
      merge_request_id: id,
      below_id: below?.id ?? 0,
      user_id: author_id,
      head_oid: head_oid ?? '',
      created_at: new Date().toISOString(),
    }
    if (below) await db.insertInto('stacked_merges').values(row).execute()
  }
}

const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}`
const file = (path: string, content: string) => `M 100644 inline ${path}\n${data(content)}`

/** It lives on when the server dies, as one on another machine would. */
async function startRunner(server: ServerProcess, home: string): Promise<ChildProcess> {
  const { runners_token } = (await (await server.send('GET', '/projects/1')).json()) as { runners_token: string }
  const [node, main] = await gitsteadProgram()
  const register = ['runner', 'register', '--url', server.url, '--token', runners_token, '--name', 'here', '--home', home]
  const { status, stderr } = spawnSync(node, [main, ...register], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const sandbox = (await probeSandbox()) === null ? [] : ['--without-sandbox']
  const runner = spawn(node, [main, 'runner', 'run', '--home', home, '--concurrent', '4', ...sandbox], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  atEndOfFile(() => runner.kill('SIGKILL'))
  return runner
}

/** All of them, in order, whether the server is there or not; but for those of a stack that follow by themselves. */
async function add(serving: () => ServerProcess): Promise<void> {
  for (const iid of numbers.filter((one) => belowOf(one) === null)) {
    for (;;) {
      const answer = await serving()
        .send('POST', `/projects/1/merge_trains/merge_requests/${iid}`)
        .catch(() => null)
      // 409: it waits already, as the answer before was lost; 400 if it is merged already.
      if (answer && [201, 400, 409].includes(answer.status)) break
      await setTimeout(20)
    }
  }
}

/** Merge requests in the queue, or that follow into it. */
async function waiting(db: Kysely<Tables>): Promise<number> {
  const cars = await db.selectFrom('merge_train_cars').select('id').where('merged_at', 'is', null).execute()
  return cars.length + (await db.selectFrom('stacked_merges').select('merge_request_id').execute()).length
}

/** Why requests have left the queue and how jobs failed, for whoever reads a failure. */
async function reasons(db: Kysely<Tables>, server: ServerProcess): Promise<string> {
  const notes = db.selectFrom('notes').innerJoin('merge_requests', 'merge_requests.id', 'notes.merge_request_id')
  const removed = notes.select(['iid', 'body']).where('body', 'like', 'removed this merge request%').orderBy('notes.id')
  const failed = db.selectFrom('commit_statuses').select(['id', 'ref', 'failure_reason']).where('status', '=', 'failed').orderBy('id')
  const jobs: string[] = []
  for (const { id, ref, failure_reason } of await failed.execute()) {
    const trace = await (await server.send('GET', `/projects/1/jobs/${id}/trace`)).text()
    jobs.push(`job ${id} of ${ref}: ${failure_reason}: ${trace.slice(-300)}`)
  }
  return [...(await removed.execute()).map(({ iid, body }) => `!${iid} ${body}`), ...jobs].join('\n')
}

async function merged(db: Kysely<Tables>): Promise<number> {
  return (await db.selectFrom('merge_requests').select('id').where('state', '=', 'merged').execute()).length
}

/** While the server is down: jobs that were given with an answer which no runner got seem to have been silent for hours. */
async function endJobsOfDead(db: Kysely<Tables>): Promise<void> {
  const long_ago = new Date(Date.now() - 3 * 3_600_000).toISOString()
  await db.updateTable('commit_statuses').set({ started_at: long_ago, updated_at: long_ago }).where('status', '=', 'running').execute()
}

/** Changes that the history of the target has twice: of a squashed request, and in what was built on it. */
async function writtenTwice(server: ServerProcess, folder: string): Promise<string[]> {
  const dir = join(folder, 'history')
  await git(folder, 'clone', '-q', '--bare', server.remote('queue'), dir)
  const added = (await git(dir, 'log', '--no-merges', '--diff-filter=A', '--name-only', '--format=', 'main', '--', 'uses')).split('\n')
  return added.filter((path, index) => path !== '' && added.indexOf(path) !== index)
}

/** Checks every commit that the target branch had. Returns the red ones, and the number of all. */
async function redCommits(server: ServerProcess, folder: string): Promise<[red: string[], commits: number]> {
  const dir = join(folder, 'after')
  await git(folder, 'clone', '-q', '--bare', server.remote('queue'), dir)
  const commits = (await git(dir, 'log', '--first-parent', '--format=%H', 'main')).split('\n')
  const red: string[] = []
  for (const commit of commits) {
    const paths = new Set((await git(dir, 'ls-tree', '-r', '--name-only', commit)).split('\n'))
    const missing = [...paths].filter((path) => path.startsWith('uses/') && !paths.has(path.replace('uses', 'definitions')))
    if (missing.length > 0) red.push(`${commit}: ${missing.join(' ')}`)
  }
  return [red, commits.length]
}
