/** Merging by the service: methods, what stands in the way, races, and what pushes do. That trees are right is shown in git/. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { type MergeParams, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { mergeabilityOf } from '../../review/mergeability/mergeability.ts'
import { cancelMerge, mergeMergeRequest, rebaseMergeRequest } from './merging.ts'

cpuBudget(10, 'Merges and pushes by git.')

let forge: Forge
let dev: TestUser

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user({ name: 'Dev Eloper' })
})

const numbered = (changed: Record<number, string> = {}) => Array.from({ length: 20 }, (_, index) => `${changed[index] ?? index}\n`).join('')

/** `topic` has two commits more than `main`; `clash` and `aside` have none. */
async function newProject(
  settings: Partial<TestProject> = {},
  roles: { maintainer?: TestUser; developer?: TestUser } = { maintainer: dev },
): Promise<TestProject> {
  const project = await forge.project({ ...roles, files: { text: numbered(), other: 'x\n' } })
  for (const branch of ['topic', 'clash', 'aside']) await git(project.dir, 'branch', branch, 'main')
  await commit(project, 'topic', { text: numbered({ 1: 'topic' }) }, 'Topic')
  await commit(project, 'topic', { more: 'more\n' }, 'More\n\nWith a body.')
  if (Object.keys(settings).length > 0) await forge.app.db.updateTable('projects').set(settings).where('id', '=', project.id).execute()
  return { ...project, ...settings }
}

/** Commits a file to a branch by the API. */
async function commit(
  project: TestProject,
  branch: string,
  files: Record<string, string>,
  message = 'Change',
  user: TestUser = forge.root as TestUser,
): Promise<string> {
  const tree = await git(project.dir, 'ls-tree', '--name-only', branch)
  const actions = Object.entries(files).map(([file_path, content]) => ({
    action: tree.split('\n').includes(file_path) ? 'update' : 'create',
    file_path,
    content,
  }))
  const { status, body } = await forge
    .as(user)
    .post(`/projects/${project.id}/repository/commits`, { branch, commit_message: message, actions })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const tip = (project: TestProject, branch: string) =>
  git(project.dir, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => null)
const rowOf = async ({ id }: { id: number }) => (await mergeRequestById(forge.app.db, id)) as MergeRequest
const accessOf = async (project: { id: number }, user: User) => ({ user, ...(await findProject(forge.app.db, String(project.id), user)) })
const merge = async (project: { id: number }, known: MergeRequest, params: MergeParams = {}, user: User = dev) =>
  mergeMergeRequest(forge.app, await accessOf(project, user), known, params)
const statusOf = async (project: { id: number }, known: MergeRequest) => {
  const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
  return mergeabilityOf(forge.app, await rowOf(known), now)
}
const shape = (project: TestProject, revision: string, format = '%P') =>
  git(project.dir, 'show', '--no-patch', `--format=${format}`, revision)

test('a merge leaves a merge commit on the target, and the request merged', onPostgresAlone('Half a second of processor.'), async () => {
  const project = await newProject()
  const request = await forge.mergeRequest(project, forge.root, { source_branch: 'topic', title: 'It', squash: true })
  const [main, topic] = [await tip(project, 'main'), await tip(project, 'topic')]

  const merged = await merge(project, request, { squash: false })

  const after = (await tip(project, 'main')) as string
  expect(await shape(project, after)).toBe(`${main} ${topic}`)
  expect(await shape(project, after, '%an <%ae> %cn%n%B')).toBe(
    `Dev Eloper <${dev.email}> Dev Eloper\nMerge branch 'topic' into 'main'\n\nIt\n\nSee merge request ${project.full_path}!${request.iid}`,
  )
  expect(merged).toMatchObject({ state: 'merged', merge_commit_oid: after, merged_by_id: dev.id, squash_commit_oid: null, head_oid: topic })
  expect([merged.merged_at !== null, merged.merge_under_way, await tip(project, 'topic')]).toEqual([true, null, topic])
  const events = await forge.app.db
    .selectFrom('events')
    .select(['ref', 'after_oid'])
    .where('project_id', '=', project.id)
    .where('after_oid', '=', after)
    .execute()
  expect(events).toEqual([{ ref: 'refs/heads/main', after_oid: after }])
  expect(await forge.app.db.selectFrom('push_intents').selectAll().where('project_id', '=', project.id).execute()).toEqual([])
})

test('the methods make a merge commit, one only where it is a fast-forward, or none', async () => {
  for (const merge_method of ['merge', 'rebase_merge', 'ff'] as const) {
    const project = await newProject({ merge_method })
    const [main, topic] = [await tip(project, 'main'), (await tip(project, 'topic')) as string]
    const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
    const merged = await merge(project, request)
    const after = (await tip(project, 'main')) as string
    if (merge_method === 'ff') expect([after, merged.merge_commit_oid]).toEqual([topic, null])
    else expect([await shape(project, after), merged.merge_commit_oid]).toEqual([`${main} ${topic}`, after])

    await commit(project, 'aside', { aside: '1' })
    const second = await forge.mergeRequest(project, dev, { source_branch: 'aside' })
    const found = await statusOf(project, second)
    if (merge_method === 'merge') {
      expect(found.obstacles).toEqual([])
      expect((await merge(project, second)).state).toBe('merged')
    } else {
      expect([found.merge_status, found.detailed_merge_status]).toEqual(['can_be_merged', 'need_rebase'])
      await expect(merge(project, second)).rejects.toMatchObject({ code: 'not_acceptable' })
      const rebased = await rebaseMergeRequest(forge.app, await accessOf(project, dev), second)
      expect([rebased.merge_error, await shape(project, 'aside')]).toEqual([null, after])
      expect((await merge(project, second)).state).toBe('merged')
    }
  }
})

test.each([
  ['merge', 2],
  ['ff', 1],
] as const)('a squash puts one commit in the place of all (%s)', async (merge_method, parents) => {
  const project = await newProject({ merge_method })
  const request = await forge.mergeRequest(project, forge.root, { source_branch: 'topic', title: 'In one' })
  const [main, topic] = [await tip(project, 'main'), await tip(project, 'topic')]
  const merged = await merge(project, request, { squash: true, should_remove_source_branch: true })
  const after = (await tip(project, 'main')) as string
  const squash = merged.squash_commit_oid as string
  expect((await shape(project, after)).split(' ')).toHaveLength(parents)
  expect(await shape(project, squash, '%P %an %cn %s')).toBe(`${main} ${forge.root.name} Dev Eloper In one`)
  expect(await git(project.dir, 'rev-parse', `${after}^{tree}`)).toBe(await git(project.dir, 'rev-parse', `${topic}^{tree}`))
  expect(await tip(project, 'topic')).toBeNull()
})

test('a message tells no address of those who wrote no commit: they have one that no mail is sent to', async () => {
  const project = await newProject({
    merge_method: 'ff',
    squash_commit_template: [
      '%{title}',
      '%{reviewed_by}',
      '%{approved_by}',
      '%{co_authored_by}',
      '%{merge_request_author}',
      '%{merged_by}',
    ].join('\n'),
  })
  const [author, reviewer, writer] = [await forge.user(), await forge.user(), await forge.user()]
  for (const { id: user_id } of [author, reviewer, writer])
    await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id, access_level: 30 })
  await commit(project, 'topic', { theirs: 'x' }, 'Theirs', writer)
  const request = await forge.mergeRequest(project, author, { source_branch: 'topic', title: 'In one' })
  const reviewer_ids = [reviewer.id, writer.id]
  await forge.as(forge.root).put(`/projects/${project.id}/merge_requests/${request.iid}`, { reviewer_ids })
  for (const user of [reviewer, writer]) await forge.as(user).post(`/projects/${project.id}/merge_requests/${request.iid}/approve`)
  const { squash_commit_oid } = await merge(project, await rowOf(request), { squash: true })

  const text = await shape(project, squash_commit_oid as string, '%an <%ae>%n%B')
  const hidden = ({ id, username, name }: TestUser) => `${name} <${id}-${username}@users.noreply.gitstead.test>`
  const known = ({ name, email }: TestUser) => `${name} <${email}>`
  for (const { email } of [author, reviewer]) expect(text).not.toContain(email)
  for (const kind of ['Reviewed-by', 'Approved-by']) {
    expect(text).toContain(`${kind}: ${hidden(reviewer)}`)
    expect(text).toContain(`${kind}: ${known(writer)}`)
  }
  expect(text).toContain(`Co-authored-by: ${known(writer)}`)
  expect(text.split('\n')[0]).toBe(hidden(author))
  expect(text.trim().split('\n').slice(-2)).toEqual([hidden(author), known(dev)])
})

test(
  'the project may ask for squashing, or forbid it; a single commit is never squashed',
  inFullRun('1 s of processor. A request is squashed above where its author wants that.'),
  async () => {
    const always = await newProject({ squash_option: 'always' })
    expect((await merge(always, await forge.mergeRequest(always, dev, { source_branch: 'topic' }))).squash_commit_oid).not.toBeNull()
    const never = await newProject({ squash_option: 'never' })
    expect(
      (await merge(never, await forge.mergeRequest(never, dev, { source_branch: 'topic' }), { squash: true })).squash_commit_oid,
    ).toBeNull()
    await commit(always, 'aside', { aside: '1' })
    const single = await merge(always, await forge.mergeRequest(always, dev, { source_branch: 'aside' }))
    expect([single.state, single.squash_commit_oid]).toEqual(['merged', null])
  },
)

test('messages are those that are given, or of the templates of the project', async () => {
  const project = await newProject({ merge_commit_template: '%{title} (%{local_reference})\n\n%{issues}\n\n%{all_commits}\n\n%{nothing}' })
  const issue = await forge.issue(project, dev)
  const description = `Closes #${issue.iid}`
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic', title: 'It', description })
  const merged = await merge(project, request)
  expect(await shape(project, merged.merge_commit_oid as string, '%B')).toBe(
    `It (!1)\n\nCloses #${issue.iid}\n\n* Topic\n\n* More\n\nWith a body.\n\n%{nothing}`,
  )
  const closed = await forge.app.db.selectFrom('issues').selectAll().where('id', '=', issue.id).executeTakeFirstOrThrow()
  expect([closed.state, closed.closed_by_id]).toEqual(['closed', dev.id])
  const notes = await forge.as(dev).get(`/projects/${project.id}/issues/${issue.iid}/notes`)
  expect(notes.body[0].body).toBe('closed via merge request !1')
  await commit(project, 'aside', { aside: '1' })
  const second = await merge(project, await forge.mergeRequest(project, dev, { source_branch: 'aside' }), { merge_commit_message: 'Mine' })
  expect(await shape(project, second.merge_commit_oid as string, '%B')).toBe('Mine')
})

test(
  'what stands in the way is told, and keeps the request from being merged',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const project = await newProject({ only_allow_merge_if_all_discussions_are_resolved: true })
    const draft = await forge.mergeRequest(project, dev, { source_branch: 'topic', title: 'Draft: it' })
    expect((await statusOf(project, draft)).detailed_merge_status).toBe('draft_status')
    await expect(merge(project, draft)).rejects.toMatchObject({ code: 'method_not_allowed', message: '405 Method Not Allowed' })

    await commit(project, 'clash', { text: numbered({ 1: 'clash' }) })
    await commit(project, 'main', { text: numbered({ 1: 'main' }) })
    const clash = await forge.mergeRequest(project, dev, { source_branch: 'clash' })
    const found = await statusOf(project, clash)
    expect([found.merge_status, found.detailed_merge_status, found.obstacles]).toEqual(['cannot_be_merged', 'conflict', ['conflict']])
    await expect(merge(project, clash)).rejects.toMatchObject({ code: 'not_acceptable', message: 'Branch cannot be merged' })

    const empty = await forge.mergeRequest(project, dev, { source_branch: 'main', target_branch: 'aside', title: 'Back' })
    expect((await statusOf(project, empty)).merge_status).toBe('can_be_merged')
    await git(project.dir, 'update-ref', 'refs/heads/aside', (await tip(project, 'main')) as string)
    expect((await statusOf(project, empty)).detailed_merge_status).toBe('commits_status')
    expect((await rowOf(clash)).state).toBe('opened')
  },
)

test(
  'an answer of git is remembered until one of the branches moves',
  inFullRun('1 s of processor. `object-cache.test.ts` has what is remembered, and how long.'),
  async () => {
    const project = await newProject()
    await commit(project, 'main', { on: 'main' })
    const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
    expect((await statusOf(project, request)).merge_status).toBe('can_be_merged')
    const again = await forge.cost(() => statusOf(project, request))
    expect(again.processes).toBe(0)
    await commit(project, 'main', { text: numbered({ 1: 'main' }) })
    expect((await statusOf(project, request)).merge_status).toBe('cannot_be_merged')
    await commit(project, 'topic', { text: numbered({ 1: 'main' }) })
    expect((await statusOf(project, request)).merge_status).toBe('can_be_merged')
  },
)

test(
  'pushes to both sides are followed in the background',
  inFullRun('3 s of processor. A push that contains the request is followed below, one that makes a version in `versions.test.ts`.'),
  async () => {
    const project = await newProject()
    const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
    await statusOf(project, request)
    await commit(project, 'main', { text: numbered({ 1: 'main' }) })
    await forge.app.db.updateTable('jobs').set({ run_at: '2020-01-01T00:00:00.000Z' }).where('name', '=', 'merge_requests.check').execute()
    await forge.drain()
    expect((await rowOf(request)).merge_status).toBe('cannot_be_merged')
  },
)

test('a merge of what has changed since is refused with 409', async () => {
  const project = await newProject()
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
  await expect(merge(project, request, { sha: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'conflict' })
  const old = (await tip(project, 'topic')) as string
  const moved = await commit(project, 'topic', { new: '1' })
  await expect(merge(project, request, { sha: old })).rejects.toMatchObject({
    code: 'conflict',
    message: `SHA does not match HEAD of source branch: ${moved}`,
  })
  expect((await merge(project, request, { sha: moved })).head_oid).toBe(moved)
})

test('who may push the source but not merge into the target is refused', async () => {
  const developer = await forge.user()
  const project = await newProject({}, { developer })
  const request = await forge.mergeRequest(project, developer, { source_branch: 'topic' })
  await expect(merge(project, request, {}, developer)).rejects.toMatchObject({ code: 'unauthorized' })
  await forge.app.db.updateTable('protected_branches').set({ merge_level: 30 }).where('project_id', '=', project.id).execute()
  expect((await merge(project, request, {}, developer)).state).toBe('merged')
  const archived = await newProject({ archived: true })
  await expect(merge(archived, await forge.mergeRequest(archived, dev, { source_branch: 'topic' }))).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

test('of merges of one request at once a single one is done', async () => {
  const project = await newProject()
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => merge(project, request)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'method_not_allowed' })
  expect(await git(project.dir, 'rev-list', '--count', '--first-parent', 'main')).toBe('2')
})

/** A commit through the API is refused where its branch moves meanwhile, and tried again. */
async function untilTaken(work: () => Promise<string>): Promise<string> {
  return work().catch((error: Error) => {
    if (!/moved|changed by somebody else/.test(error.message)) throw error
    return untilTaken(work)
  })
}

test('requests merged into one branch at once are all merged, while it is pushed to', onPostgresAlone('1 s of processor.'), async () => {
  const project = await newProject()
  const requests: MergeRequest[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await git(project.dir, 'branch', name, 'main')
    await commit(project, name, { [name]: name })
    requests.push(await forge.mergeRequest(project, dev, { source_branch: name }))
  }
  const [results] = await Promise.all([
    Promise.all(requests.map((request) => merge(project, request))),
    untilTaken(() => commit(project, 'main', { pushed: '1' })).then(() => untilTaken(() => commit(project, 'main', { again: '1' }))),
  ])
  expect(results.map(({ state }) => state)).toEqual(requests.map(() => 'merged'))
  const files = (await git(project.dir, 'ls-tree', '--name-only', 'main')).split('\n')
  expect(files).toEqual(['a', 'again', 'b', 'c', 'd', 'e', 'f', 'other', 'pushed', 'text'])
})

test('a push that contains the request marks it merged, a deleted source closes it', onPostgresAlone('7 s of processor.'), async () => {
  const project = await newProject()
  const issue = await forge.issue(project, dev)
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic', description: `fixes #${issue.iid}` })
  await commit(project, 'aside', { aside: '1' })
  const other = await forge.mergeRequest(project, dev, { source_branch: 'aside' })
  const remote = await forge.remote(project, dev)
  const work = `${await forge.folder()}/contained-${project.id}`
  await git(project.dir, 'clone', '--quiet', remote, work)
  await git(work, '-c', 'user.name=D', '-c', 'user.email=d@example.com', 'merge', '--quiet', '--no-ff', '-m', 'By hand', 'origin/topic')
  await git(work, 'push', '--quiet', 'origin', 'HEAD:main', ':topic', ':aside')
  await forge.drain()
  expect(await rowOf(request)).toMatchObject({ state: 'merged', merged_by_id: dev.id, merge_commit_oid: null })
  expect((await rowOf(other)).state).toBe('closed')
  const { state } = await forge.app.db.selectFrom('issues').select('state').where('id', '=', issue.id).executeTakeFirstOrThrow()
  expect(state).toBe('closed')
})

test('the source branch is kept where it is protected, has gone on, or is the default branch', async () => {
  const project = await newProject()
  await forge.as(forge.root).post(`/projects/${project.id}/protected_branches`, { name: 'topic' })
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic', force_remove_source_branch: true })
  expect((await merge(project, request)).state).toBe('merged')
  expect(await tip(project, 'topic')).not.toBeNull()
})

test('a merge waits for a pipeline that runs, until it is taken back or the source is pushed', async () => {
  const project = await newProject({ only_allow_merge_if_pipeline_succeeds: true })
  const request = await forge.mergeRequest(project, dev, { source_branch: 'topic' })
  const post = async (state: string) => {
    const { status } = await forge.as(dev).post(`/projects/${project.id}/statuses/${await tip(project, 'topic')}`, { state, ref: 'topic' })
    expect(status).toBe(201)
  }
  await post('running')
  expect((await statusOf(project, request)).detailed_merge_status).toBe('ci_still_running')
  await expect(merge(project, request)).rejects.toMatchObject({ code: 'method_not_allowed' })
  const waiting = await merge(project, request, { merge_when_pipeline_succeeds: true })
  expect([waiting.state, waiting.merge_when_pipeline_succeeds, waiting.merge_user_id]).toEqual(['opened', true, dev.id])
  const cancelled = await cancelMerge(forge.app, await accessOf(project, dev), request)
  expect([cancelled.merge_when_pipeline_succeeds, cancelled.merge_user_id]).toEqual([false, null])
  await expect(cancelMerge(forge.app, await accessOf(project, dev), request)).rejects.toMatchObject({ code: 'not_acceptable' })
  await merge(project, request, { merge_when_pipeline_succeeds: true })
  await commit(project, 'topic', { pushed: '1' })
  expect((await rowOf(request)).merge_when_pipeline_succeeds).toBe(false)
  await post('failed')
  expect((await statusOf(project, request)).detailed_merge_status).toBe('ci_must_pass')
  await commit(project, 'topic', { pushed: '2' })
  await post('success')
  expect((await merge(project, request)).state).toBe('merged')
})
