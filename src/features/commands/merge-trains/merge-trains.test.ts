/** Queues of merge requests: what is tested, what is merged, and who leaves why. */
import { beforeAll, expect, test } from 'vitest'
import { statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { endJob, takeJob } from '../../ci/processing/processing.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mergeStack } from '../stack-merges/stack-merges.ts'
import { roundJob } from './advance.jobs.ts'

cpuBudget(15, 'Merges and pushes by git.')

let forge: Forge
let dev: TestUser
let runner_id: number

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user()
  const at = new Date().toISOString()
  const row = { kind: 'instance', token_digest: 'of merge trains', created_at: at, updated_at: at } as const
  runner_id = (await forge.app.db.insertInto('ci_runners').values(row).returning('id').executeTakeFirstOrThrow()).id
})

interface Train {
  project: TestProject
  at: string
  /** The paths of merge requests, in order. */
  requests: string[]
}

const file = 'train:\n  script: [x]\n  rules: [{if: \'$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"\'}]\n'

/** A project with a queue, and so many merge requests, each of which adds a file. */
async function projectWith(count: number, settings: object = {}): Promise<Train> {
  const project = await forge.project({ maintainer: dev, commits: [{ message: 'First', files: { '.gitlab-ci.yml': file, text: 'x\n' } }] })
  const at = `/projects/${project.id}`
  expect((await forge.as(dev).put(at, { merge_trains_enabled: true, merge_train_batch_size: 1, ...settings })).status).toBe(200)
  const requests: string[] = []
  for (let number = 1; number <= count; number += 1) requests.push(await opened(project, `topic-${number}`))
  return { project, at, requests }
}

async function opened({ id }: { id: number }, branch: string, file_path = branch): Promise<string> {
  const actions = [{ action: file_path === 'text' ? 'update' : 'create', file_path, content: branch }]
  const commit = { branch, start_branch: 'main', commit_message: branch, actions }
  expect((await forge.as(dev).post(`/projects/${id}/repository/commits`, commit)).status).toBe(201)
  const asked = { source_branch: branch, target_branch: 'main', title: branch }
  const { body, status } = await forge.as(dev).post(`/projects/${id}/merge_requests`, asked)
  expect(status).toBe(201)
  return `/merge_requests/${body.iid}`
}

const add = ({ at }: Train, request = '', body: object = {}, user = dev) => forge.as(user).post(`${at}/merge_trains${request}`, body)
const stateOf = async ({ at }: Train, request = '') => (await forge.as(dev).get(at + request)).body.state as string
const statesOf = async (train: Train) => Promise.all(train.requests.map((request) => stateOf(train, request)))
const notesOf = async ({ at }: Train, request = '') =>
  (await forge.as(dev).get(`${at}${request}/notes?activity_filter=only_activity&sort=asc`)).body.map(({ body }: { body: string }) => body)
const queueOf = async ({ at }: Train, branch = 'main') =>
  (await forge.as(dev).get(`${at}/merge_trains/${branch}?scope=active&sort=asc`)).body as Array<{
    merge_request: { title: string }
    status: string
    pipeline: { id: number; status: string; sha: string; ref: string } | null
  }>
const shown = async (train: Train, branch = 'main') =>
  (await queueOf(train, branch)).map((car) => `${car.merge_request.title} ${car.status} ${car.pipeline?.status}`)

/** Adds all of them, and lets the queue do what it can. */
async function addAll(train: Train): Promise<void> {
  for (const request of train.requests) expect((await add(train, request)).status).toBe(201)
  await forge.drain()
}

/** Ends the pipeline of the car at this place, from 0, and lets the queue go on. */
async function end(train: Train, place = 0, status: 'success' | 'failed' = 'success', branch = 'main'): Promise<void> {
  const { pipeline } = (await queueOf(train, branch))[place] as Awaited<ReturnType<typeof queueOf>>[number]
  const { db } = forge.app
  const { job_id } = await db
    .selectFrom('ci_queue')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_queue.job_id')
    .select('job_id')
    .where('pipeline_id', '=', pipeline?.id ?? 0)
    .executeTakeFirstOrThrow()
  await inTransaction(db, (tx) => takeJob(tx, { job_id, runner_id, timeout_s: 60 }))
  await inTransaction(db, (tx) => endJob(tx, job_id, { status, failure_reason: 'script_failure' }))
  await forge.drain()
}

/** Three requests, each built on the one before, and what a page shows of them. */
async function stackedIn({ project }: Train): Promise<{ steps: Array<{ id: number; head_oid: string }>; top: MergeRequest }> {
  const steps: Array<{ id: number; head_oid: string }> = []
  for (const [branch, target_branch] of [
    ['low', 'main'],
    ['middle', 'low'],
    ['top', 'middle'],
  ] as const) {
    const actions = [{ action: branch === 'low' ? 'create' : 'update', file_path: 'lines', content: `${branch}\n`.repeat(2) }]
    const commit = { branch, start_branch: target_branch, commit_message: branch, actions }
    expect((await forge.as(dev).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
    // Only with two commits does squashing change what the requests above are based on.
    const more = { branch, commit_message: `More of ${branch}`, actions: [{ action: 'create', file_path: `more-${branch}`, content: 'x' }] }
    if (branch === 'low') expect((await forge.as(dev).post(`/projects/${project.id}/repository/commits`, more)).status).toBe(201)
    const asked = { source_branch: branch, target_branch, title: branch, squash: true, remove_source_branch: branch === 'low' }
    const { body } = await forge.as(dev).post(`/projects/${project.id}/merge_requests`, asked)
    steps.push({ id: body.id, head_oid: body.sha })
  }
  return { steps, top: (await mergeRequestById(forge.app.db, steps[2]?.id ?? 0)) as MergeRequest }
}

const accessOf = async ({ id }: { id: number }) => ({ user: dev, ...(await findProject(forge.app.db, String(id), dev)) })

// Twelve pipelines and as many pushes may take longer on a busy machine than tests usually have.
test('a stack waits in the queue in order, and when a request of it leaves, those above it leave, too', {
  ...onPostgresAlone('3 s of processor.'),
  timeout: 120_000,
}, async () => {
  const train = await projectWith(0, { merge_method: 'merge', squash_option: 'always' })
  const { steps, top } = await stackedIn(train)
  const pusher = await accessOf(train.project)
  const stale = steps.map((step, at) => (at === 1 ? { ...step, head_oid: 'a'.repeat(40) } : step))
  await expect(mergeStack(forge.app, pusher, top, stale)).rejects.toMatchObject({ code: 'conflict' })
  const all = ['low fresh pending', 'middle fresh pending', 'top fresh pending']
  await mergeStack(forge.app, pusher, top, steps)
  await forge.drain()
  expect(await shown(train)).toEqual(all)
  expect(await notesOf(train, '/merge_requests/3')).toContain('enabled an automatic merge with its stack, after !2')
  // The lowest leaves: nothing above it is merged.
  const leave = (iid: number) => forge.as(dev).post(`${train.at}/merge_requests/${iid}/cancel_merge_when_pipeline_succeeds`)
  expect((await leave(1)).status).toBe(201)
  await forge.drain()
  expect(await shown(train)).toEqual([])
  expect(await notesOf(train, '/merge_requests/3')).toContain(
    'removed this merge request from the merge train because !2 has left the merge queue',
  )
  // The lowest is in the queue before its stack is merged: the others must follow it all the same.
  expect((await add(train, '/merge_requests/1')).status).toBe(201)
  await mergeStack(forge.app, pusher, top, steps)
  await forge.drain()
  expect(await shown(train)).toEqual(all)
  const [, second] = await queueOf(train)
  await end(train)
  // The one below was squashed, which must neither void the test of this one nor bring its commits along.
  expect(await shown(train)).toEqual(all.slice(1))
  expect((await queueOf(train))[0]?.pipeline?.id).toBe(second?.pipeline?.id)
  expect(await git(train.project.dir, 'show', 'main:lines')).toBe('low\nlow')
  expect((await forge.as(dev).get(`${train.at}/merge_requests/2`)).body.target_branch).toBe('low')
  expect((await forge.as(dev).get(`${train.at}/repository/branches/low`)).status).toBe(404)
  // The one below is merged already when the second leaves, which is therefore retargeted to main.
  expect((await leave(2)).status).toBe(201)
  await forge.drain()
  const { body: left } = await forge.as(dev).get(`${train.at}/merge_requests/2`)
  expect([await shown(train), left.target_branch, left.sha === steps[1]?.head_oid]).toEqual([[], 'main', false])
  // The rules of the queue's branch also apply to requests above the lowest, though their own target is another branch.
  const other = await forge.user()
  await forge.as(dev).post(`${train.at}/members`, { user_id: other.id, access_level: 40 })
  const [{ id: main_id }] = (await forge.as(dev).get(`${train.at}/protected_branches`)).body
  const rule = { name: 'Main', approvals_required: 1, user_ids: [other.id], protected_branch_ids: [main_id] }
  expect((await forge.as(dev).post(`${train.at}/approval_rules`, rule)).status).toBe(201)
  expect((await forge.as(other).post(`${train.at}/merge_requests/2/approve`)).status).toBe(201)
  const rest = [await tipOf(train, 2), await tipOf(train, 3)]
  await mergeStack(forge.app, pusher, (await mergeRequestById(forge.app.db, top.id)) as MergeRequest, rest)
  await forge.drain()
  expect(await shown(train)).toEqual(['middle fresh pending'])
  expect((await forge.as(other).post(`${train.at}/merge_requests/3/approve`)).status).toBe(201)
  await forge.drain()
  expect(await shown(train)).toEqual(['middle fresh pending', 'top fresh pending'])
  await end(train, 1)
  await end(train)
  expect(await git(train.project.dir, 'log', '--format=%s', '--no-merges', 'main')).toBe('top\nmiddle\nlow\nFirst')
  expect((await notesOf(train, '/merge_requests/3')).slice(-3, -1)).toEqual(['changed target branch from `middle` to `main`', 'merged'])
  expect(await forge.app.db.selectFrom('stacked_merges').selectAll().execute()).toEqual([])
})

const tipOf = async ({ at }: Train, iid: number) => {
  const { id, sha } = (await forge.as(dev).get(`${at}/merge_requests/${iid}`)).body
  return { id, head_oid: sha }
}

test('each is tested with those before it, and the target becomes exactly what was tested', async () => {
  const train = await projectWith(2)
  await addAll(train)
  const { dir, id } = train.project
  const [one, two] = await queueOf(train)
  expect(await shown(train)).toEqual(['topic-1 fresh pending', 'topic-2 fresh pending'])
  expect([one?.pipeline?.ref, await statusesOf(forge.app.db, one?.pipeline?.id ?? 0)]).toEqual([
    'refs/merge-requests/1/train',
    ['train pending'],
  ])
  expect(await git(dir, 'ls-tree', '--name-only', 'refs/merge-requests/2/train')).toBe('.gitlab-ci.yml\ntext\ntopic-1\ntopic-2')
  expect(await git(dir, 'rev-parse', 'refs/merge-requests/2/train^1')).toBe(one?.pipeline?.sha)

  await end(train, 1)
  expect(await statesOf(train)).toEqual(['opened', 'opened'])
  await end(train)
  expect(await statesOf(train)).toEqual(['merged', 'merged'])
  expect(await git(dir, 'rev-parse', 'main')).toBe(two?.pipeline?.sha)
  const { body } = await forge.as(dev).get(`${train.at}${train.requests[0]}`)
  expect([body.merge_commit_sha, body.merged_by.id, body.merge_when_pipeline_succeeds]).toEqual([one?.pipeline?.sha, dev.id, false])
  expect((await notesOf(train, train.requests[0])).slice(0, 2)).toEqual(['started a merge train', 'merged'])
  expect((await notesOf(train, train.requests[1]))[0]).toBe('added this merge request to the merge train at position 2')
  const { body: complete } = await forge.as(dev).get(`/projects/${id}/merge_trains?scope=complete&sort=asc`)
  expect(complete.map(({ status, duration }: { status: string; duration: number }) => [status, typeof duration])).toEqual([
    ['merged', 'number'],
    ['merged', 'number'],
  ])
})

test('a failed one leaves with a note and a to-do item, and those behind are tested without it at once', async () => {
  const train = await projectWith(3)
  await addAll(train)
  const before = await queueOf(train)
  await end(train, 0, 'failed')
  expect(await shown(train)).toEqual(['topic-2 fresh pending', 'topic-3 fresh pending'])
  const after = await queueOf(train)
  expect(after[0]?.pipeline?.sha).not.toBe(before[1]?.pipeline?.sha)
  expect(await git(train.project.dir, 'ls-tree', '--name-only', 'refs/merge-requests/3/train')).toBe(
    '.gitlab-ci.yml\ntext\ntopic-2\ntopic-3',
  )
  const { body: old } = await forge.as(dev).get(`${train.at}/pipelines/${before[1]?.pipeline?.id}`)
  expect(old.status).toBe('canceled')
  expect((await notesOf(train, train.requests[0])).at(-1)).toBe(
    'removed this merge request from the merge train because its pipeline failed',
  )
  const { body: todos } = await forge.as(dev).get('/todos?action=merge_train_removed')
  expect(todos.map(({ target }: { target: { title: string } }) => target.title)).toEqual(['topic-1'])
  await end(train)
  await end(train)
  expect(await statesOf(train)).toEqual(['opened', 'merged', 'merged'])
})

test('a push to the target has all tested anew; one to a source, a draft or a blocked user leaves', async () => {
  const train = await projectWith(4)
  const other = await forge.user()
  await forge.as(dev).post(`${train.at}/members`, { user_id: other.id, access_level: 40 })
  for (const request of train.requests.slice(0, 3)) await add(train, request)
  expect((await add(train, train.requests[3], {}, other)).status).toBe(201)
  await forge.drain()
  const commit = { commit_message: 'Past the queue', actions: [{ action: 'create', file_path: 'direct', content: 'x' }] }
  await forge.as(dev).post(`${train.at}/repository/commits`, { branch: 'main', ...commit })
  await forge.drain()
  expect(await git(train.project.dir, 'rev-parse', 'refs/merge-requests/1/train^1')).toBe(await git(train.project.dir, 'rev-parse', 'main'))
  await forge.as(dev).post(`${train.at}/repository/commits`, { branch: 'topic-1', ...commit })
  await forge.as(dev).put(train.at + train.requests[1], { title: 'Draft: topic-2' })
  await forge.as(forge.root).post(`/users/${other.id}/block`)
  await forge.drain()
  expect(await shown(train)).toEqual(['topic-3 fresh pending'])
  const last = async (place: number) =>
    (await notesOf(train, train.requests[place])).filter((note: string) => note.includes('merge train')).at(-1)
  expect([await last(0), await last(1), await last(3)]).toEqual([
    'removed this merge request from the merge train because its source branch was updated',
    'removed this merge request from the merge train because this merge request is a draft',
    'removed this merge request from the merge train because who added it is no longer allowed to merge it',
  ])
  await end(train)
  expect(await stateOf(train, train.requests[2])).toBe('merged')
})

test('a request that is removed or merged past the queue leaves it, and a conflict is found when its turn comes', async () => {
  const train = await projectWith(2)
  const clash = [await opened(train.project, 'clash-1', 'text'), await opened(train.project, 'clash-2', 'text')]
  await addAll({ ...train, requests: [...train.requests, ...clash] })
  expect(await shown(train)).toEqual(['topic-1 fresh pending', 'topic-2 fresh pending', 'clash-1 fresh pending'])
  expect((await notesOf(train, clash[1])).at(-1)).toContain('because it conflicts with the target branch')
  expect((await forge.as(dev).post(`${train.at}${train.requests[0]}/cancel_merge_when_pipeline_succeeds`)).status).toBe(201)
  expect((await forge.as(dev).put(`${train.at}${train.requests[1]}/merge`)).body.state).toBe('merged')
  await forge.drain()
  expect(await shown(train)).toEqual(['clash-1 fresh pending'])
  expect((await notesOf(train, train.requests[0])).at(-1)).toBe('removed this merge request from the merge train')
  const { body } = await forge.as(dev).get(`${train.at}/merge_trains/merge_requests/2`)
  expect([body.status, (await forge.as(dev).get(`${train.at}/merge_trains/merge_requests/1`)).status]).toEqual(['skip_merged', 404])
  await end(train)
  expect(await stateOf(train, clash[0])).toBe('merged')
})

test('several are tested as one where many wait; a failed batch is halved until one is to blame', async () => {
  const train = await projectWith(4, { max_pipelines_per_merge_train: 1, merge_train_batch_size: 4 })
  await addAll(train)
  const pipelines = async () => [...new Set((await queueOf(train)).map(({ pipeline }) => pipeline?.id))].length
  expect(await pipelines()).toBe(1)
  // The third one is to blame.
  await end(train, 3, 'failed')
  expect(await pipelines()).toBe(2)
  await end(train, 0)
  expect((await statesOf(train)).slice(0, 2)).toEqual(['merged', 'merged'])
  await end(train, 0, 'failed')
  await end(train, 0)
  expect(await statesOf(train)).toEqual(['merged', 'merged', 'opened', 'merged'])
  const all = (await forge.as(dev).get(`${train.at}/pipelines?source=merge_request_event`)).body
  expect(all).toHaveLength(4)
})

test(
  'one source can be in the queues of two branches, and a request withdrawn or rewritten during its test delays no other',
  inFullRun('1 s of processor. The histories of the planner withdraw at any moment.'),
  async () => {
    const train = await projectWith(3, { max_pipelines_per_merge_train: 1, merge_train_batch_size: 4 })
    await forge.as(dev).post(`${train.at}/repository/branches`, { branch: 'release', ref: 'main' })
    const asked = { source_branch: 'topic-1', target_branch: 'release', title: 'for release' }
    const { body: other } = await forge.as(dev).post(`${train.at}/merge_requests`, asked)
    await addAll({ ...train, requests: [...train.requests, `/merge_requests/${other.iid}`] })
    const batch = (await queueOf(train)).map(({ pipeline }) => pipeline?.id)
    expect(batch).toEqual([batch[0], batch[0], batch[0]])

    await forge.as(dev).post(`${train.at}${train.requests[1]}/cancel_merge_when_pipeline_succeeds`)
    await forge.drain()
    expect(await shown(train)).toEqual(['topic-1 fresh pending', 'topic-3 fresh pending'])
    expect((await forge.as(dev).get(`${train.at}/pipelines/${batch[0]}`)).body.status).toBe('canceled')
    const actions = [{ action: 'create', file_path: 'anew', content: 'x' }]
    const forced = { branch: 'topic-3', start_branch: 'main', force: true, commit_message: 'Anew', actions }
    expect((await forge.as(dev).post(`${train.at}/repository/commits`, forced)).status).toBe(201)
    await forge.drain()
    expect([await shown(train), await shown(train, 'release')]).toEqual([['topic-1 fresh pending'], ['for release fresh pending']])
    await end(train)
    expect([await statesOf(train), await shown(train, 'release')]).toEqual([['merged', 'opened', 'opened'], ['for release fresh pending']])
    await end(train, 0, 'success', 'release')
    expect(await stateOf(train, `/merge_requests/${other.iid}`)).toBe('merged')
  },
)

test('users who may merge may add a request, once; only maintainers may merge past the queue', async () => {
  const train = await projectWith(1)
  const [request] = train.requests
  const developer = await forge.user()
  const reporter = await forge.user()
  // The quick action /merge adds to the queue as well, and never merges past it.
  const forced = await forge.as(dev).post(`${train.at}${request}/notes`, { body: '/merge' })
  await forge.drain()
  expect([forced.status, await shown(train)]).toEqual([202, ['topic-1 fresh pending']])
  expect((await forge.as(dev).post(`${train.at}${request}/cancel_merge_when_pipeline_succeeds`)).status).toBe(201)
  await forge.as(dev).post(`${train.at}/members`, { user_id: developer.id, access_level: 30 })
  await forge.as(dev).post(`${train.at}/members`, { user_id: reporter.id, access_level: 20 })
  expect((await add(train, request, {}, reporter)).status).toBe(403)
  expect((await add(train, request, {}, developer)).status).toBe(403)
  await forge.as(dev).delete(`${train.at}/protected_branches/main`)
  await forge.as(dev).post(`${train.at}/protected_branches`, { name: 'main', merge_access_level: 30 })
  expect((await forge.as(developer).put(`${train.at}${request}/merge`)).status).toBe(405)
  expect((await add(train, request, { sha: '0'.repeat(40) }, developer)).status).toBe(409)
  const added = await forge.as(developer).put(`${train.at}${request}/merge`, { auto_merge: true })
  expect([added.status, added.body.state, added.body.merge_user.id]).toEqual([200, 'opened', developer.id])
  expect((await add(train, request)).status).toBe(409)
  await forge.drain()
  await end(train)
  const { body } = await forge.as(dev).get(train.at + request)
  expect([body.state, body.merged_by.id]).toEqual(['merged', developer.id])
  await forge.as(dev).put(train.at, { merge_trains_enabled: false })
  expect((await add(train, request)).status).toBe(403)
})

test('with auto_merge it enters once its own pipeline has succeeded', async () => {
  const train = await projectWith(1, { only_allow_merge_if_pipeline_succeeds: true })
  const [request] = train.requests
  const { body } = await forge.as(dev).get(train.at + request)
  const status = (state: string) => forge.as(dev).post(`${train.at}/statuses/${body.sha}`, { state, ref: 'topic-1' })
  await status('running')
  expect((await add(train, request)).status).toBe(400)
  expect((await add(train, request, { auto_merge: true })).status).toBe(202)
  await status('success')
  await forge.drain()
  expect(await shown(train)).toEqual(['topic-1 fresh pending'])
})

test('without a pipeline nothing is merged, and one that never ends is given up', async () => {
  const train = await projectWith(2)
  await forge.as(dev).put(train.at, { ci_config_path: 'nowhere.yml' })
  await add(train, train.requests[0])
  await forge.drain()
  expect((await notesOf(train, train.requests[0])).at(-1)).toContain('because no pipeline could be created')
  await forge.as(dev).put(train.at, { ci_config_path: '' })
  await add(train, train.requests[1])
  await forge.drain()
  const { mergeTrainTest_ms } = forge.app.limits
  forge.app.limits.mergeTrainTest_ms = -1
  await roundJob.handle(forge.app, null)
  await forge.drain()
  forge.app.limits.mergeTrainTest_ms = mergeTrainTest_ms
  expect((await notesOf(train, train.requests[1])).at(-1)).toBe(
    'removed this merge request from the merge train because its pipeline did not end in time',
  )
})

test('a process that dies after a pipeline was created, or in the middle of a merge, leaves nothing twice and nothing behind', async () => {
  const train = await projectWith(1)
  await addAll(train)
  const [before] = await queueOf(train)
  const { db } = forge.app
  await db
    .updateTable('merge_train_cars')
    .set({ pipeline_id: null, tested_at: null, status: 'idle' })
    .where('merged_at', 'is', null)
    .execute()
  await roundJob.handle(forge.app, null)
  await forge.drain()
  expect((await queueOf(train))[0]?.pipeline?.id).toBe(before?.pipeline?.id)
  // Its intent was written, and the branch did not move.
  await db.updateTable('merge_train_cars').set({ status: 'merging' }).where('merged_at', 'is', null).execute()
  const changes = [{ ref: 'refs/heads/main', before: '0'.repeat(40), after: before?.pipeline?.sha ?? '' }]
  const dropped = { type: 'push_dropped', project_id: train.project.id, user_id: dev.id, changes } as const
  await inTransaction(db, (tx) => publish(tx, dropped))
  await forge.drain()
  expect(await shown(train)).toEqual(['topic-1 fresh pending'])
  await end(train)
  expect(await statesOf(train)).toEqual(['merged'])
})
