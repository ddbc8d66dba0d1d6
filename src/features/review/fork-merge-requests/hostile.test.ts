/** Attempts to use a merge request against those it is not of: to show a private branch, to delete one, to lock it for ever. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, isGate } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { changeMergeRequestIn } from '../merge-requests/merge-requests.ts'

cpuBudget(8, 'Forks are pushed to and merged while rights change.')

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

/** A fork with an open merge request from `topic` into the project of the maintainer. */
async function proposed(fields: object = {}) {
  const [maintainer, forker] = [await forge.user(), await forge.user()]
  const source = await forge.project({ maintainer, visibility: 'public' })
  const { body: made } = await forge.as(forker).post(`/projects/${source.id}/fork`)
  await forge.drain()
  const fork = { ...made, dir: forge.app.git.open(made.id).dir } as TestProject
  await commit(forker, fork, 'topic', { start_branch: 'main' })
  const body = { source_branch: 'topic', target_branch: 'main', title: 'Topic', target_project_id: source.id, ...fields }
  const { body: request } = await forge.as(forker).post(`/projects/${fork.id}/merge_requests`, body)
  return { maintainer, forker, source, fork, request, at: `/projects/${source.id}/merge_requests/${request.iid}` }
}

let counter = 0

async function commit(user: TestUser, { id }: { id: number }, branch: string, more: object = {}): Promise<string> {
  const actions = [{ action: 'create', file_path: `file-${++counter}`, content: 'x' }]
  const answer = await forge.as(user).post(`/projects/${id}/repository/commits`, { branch, commit_message: 'Change', actions, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

test('nobody but who pushes to a private fork shows what is in its branch by opening its merge request again', async () => {
  const { maintainer, forker, source, fork, at } = await proposed()
  await forge.as(forker).put(at, { state_event: 'close' })
  await forge.as(forker).put(`/projects/${fork.id}`, { visibility: 'private' })
  const secret = await commit(forker, fork, 'topic')
  await forge.drain()

  expect((await forge.as(maintainer).put(at, { state_event: 'reopen' })).body.state).toBe('closed')
  const noted = await forge.as(maintainer).post(`${at}/notes`, { body: 'Again\n/reopen' })
  expect([noted.status, noted.body.commands_changes]).toEqual([201, {}])
  const described = await forge.as(maintainer).put(at, { description: 'Again\n/reopen' })
  expect(described.body.state).toBe('closed')
  await forge.drain()
  for (const path of ['', '/changes', '/commits']) expect((await forge.as(maintainer).get(`${at}${path}`)).text).not.toContain(secret)
  await expect(git(source.dir, 'cat-file', '-e', secret)).rejects.toThrow()

  const { body } = await forge.as(forker).put(at, { state_event: 'reopen' })
  expect([body.state, body.sha]).toEqual(['opened', secret])
})

test(
  '/reopen opens what anybody may see anyway, and nothing whose branch is gone',
  inFullRun('Half a second of processor. Nobody but who pushes to a private fork opens its request again, above.'),
  async () => {
    const { maintainer, forker, fork, at } = await proposed()
    await forge.as(maintainer).put(at, { state_event: 'close' })
    await forge.as(maintainer).post(`${at}/notes`, { body: '/reopen' })
    expect((await forge.as(maintainer).get(at)).body.state).toBe('opened')
    await forge.as(forker).delete(`/projects/${fork.id}/repository/branches/topic`)
    await forge.drain()
    await forge.as(maintainer).post(`${at}/notes`, { body: 'Again\n/reopen' })
    expect((await forge.as(maintainer).get(at)).body.state).toBe('closed')
  },
)

test('who merges has no branch of a fork deleted in the name of its author', async () => {
  const { maintainer, forker, fork, at } = await proposed()
  const edited = await forge.as(maintainer).put(at, { remove_source_branch: true, title: 'Edited' })
  expect([edited.body.title, edited.body.force_remove_source_branch]).toEqual(['Edited', false])
  expect((await forge.as(maintainer).put(`${at}/merge`, { should_remove_source_branch: true })).body.state).toBe('merged')
  await forge.drain()
  expect((await forge.as(forker).get(`/projects/${fork.id}/repository/branches/topic`)).status).toBe(200)
})

test('what is being merged keeps its target branch: else its merge would never end', async () => {
  const { maintainer, source, request, at } = await proposed()
  await git(source.dir, 'branch', 'other', 'main')
  await forge.app.db.updateTable('merge_requests').set({ state: 'locked' }).where('id', '=', request.id).execute()
  const actor = { user: maintainer, project: source, level: 40 }
  const changed = await inTransaction(forge.app.db, (tx) =>
    changeMergeRequestIn(tx, actor, request.id, { target_branch: 'other', title: 'Now' }),
  )
  expect([changed.target_branch, changed.title]).toEqual(['main', 'Now'])
  await forge.as(maintainer).put(at, { target_branch: 'other' })
  expect((await forge.as(maintainer).get(at)).body.target_branch).toBe('main')
})

test(
  '/target_branch can’t make a merge request of a branch into itself',
  inFullRun('Half a second of processor. `quick-actions.test.ts` of merge requests has the command.'),
  async () => {
    const { maintainer, source } = await proposed()
    await commit(maintainer, source, 'own', { start_branch: 'main' })
    const body = { source_branch: 'own', target_branch: 'main', title: 'Own' }
    const { iid } = (await forge.as(maintainer).post(`/projects/${source.id}/merge_requests`, body)).body
    const at = `/projects/${source.id}/merge_requests/${iid}`
    await forge.as(maintainer).post(`${at}/notes`, { body: 'Text\n/target_branch own' })
    expect((await forge.as(maintainer).get(at)).body.target_branch).toBe('main')
  },
)

test(
  'a merge, a close, a deletion of the branch and a push at once end in one of the whole outcomes',
  inFullRun('1 s of processor. `merging.test.ts`: of merges of one request at once a single one is done.'),
  async () => {
    for (let round = 0; round < (isGate ? 2 : 4); round += 1) {
      const { maintainer, forker, source, fork, at } = await proposed()
      const before = await git(source.dir, 'rev-parse', 'main')
      await Promise.all([
        forge.as(maintainer).put(`${at}/merge`),
        forge.as(forker).put(at, { state_event: 'close' }),
        round % 2 === 0
          ? forge.as(forker).delete(`/projects/${fork.id}/repository/branches/topic`)
          : forge.as(forker).post(`/projects/${fork.id}/repository/commits`, {
              branch: 'topic',
              commit_message: 'Late',
              actions: [{ action: 'create', file_path: 'late', content: 'x' }],
            }),
      ])
      await forge.drain()
      const { body } = await forge.as(maintainer).get(at)
      const after = await git(source.dir, 'rev-parse', 'main')
      expect(['merged', 'closed']).toContain(body.state)
      expect([body.state, after !== before]).toEqual([body.state, body.state === 'merged'])
      if (body.state === 'merged') expect(body.merge_commit_sha).toBe(after)
    }
  },
)

test('a position names commits of its own merge request alone, also where another has the same file', async () => {
  const one = await proposed()
  const other = await proposed()
  const { diff_refs } = (await forge.as(other.maintainer).get(other.at)).body
  const [{ new_path }] = (await forge.as(other.maintainer).get(`${other.at}/diffs`)).body
  const position = { ...diff_refs, position_type: 'text', new_path, new_line: 1 }
  expect((await forge.as(other.maintainer).post(`${other.at}/discussions`, { body: 'Fine', position })).status).toBe(201)
  for (const path of ['discussions', 'draft_notes']) {
    const answer = await forge.as(one.maintainer).post(`${one.at}/${path}`, { body: 'x', note: 'x', position })
    expect([path, answer.status]).toEqual([path, 400])
  }
  const commit_id = other.request.sha
  const onCommit = await forge.as(one.maintainer).post(`${one.at}/discussions`, { body: 'x', position, commit_id })
  expect(onCommit.status).toBe(400)
})

test('a merge request follows a private fork as long as its author may push there, and shows nothing more afterwards', async () => {
  const { maintainer, forker, source, fork, at } = await proposed()
  const author = await forge.user()
  await forge.as(forker).put(`/projects/${fork.id}`, { visibility: 'private' })
  await forge.as(forker).post(`/projects/${fork.id}/members`, { user_id: author.id, access_level: 30 })
  const first = await commit(forker, fork, 'theirs', { start_branch: 'main' })
  const { body: theirs } = await forge.as(author).post(`/projects/${fork.id}/merge_requests`, {
    source_branch: 'theirs',
    target_branch: 'main',
    title: 'T',
    target_project_id: source.id,
  })
  const before = await commit(forker, fork, 'theirs')
  await forge.drain()
  const request = at.replace(/\d+$/, String(theirs.iid))
  const shown = async () => (await forge.as(maintainer).get(request)).body.sha
  expect([first === before, await shown()]).toEqual([false, before])

  const lost: Array<() => Promise<unknown>> = [
    () => forge.as(forker).delete(`/projects/${fork.id}/members/${author.id}`),
    () => forge.as(forker).post(`/projects/${fork.id}/members`, { user_id: author.id, access_level: 20 }),
  ]
  for (const lose of lost) {
    await lose()
    const secret = await commit(forker, fork, 'theirs')
    await forge.drain()
    // A new target is a reason to look at the branches, too.
    await forge.as(maintainer).put(request, { title: 'Again', target_branch: 'main' })
    await forge.drain()
    expect(await shown()).toBe(before)
    for (const path of ['', '/changes', '/commits', '/versions'])
      expect((await forge.as(maintainer).get(`${request}${path}`)).text).not.toContain(secret)
    await expect(git(source.dir, 'cat-file', '-e', secret)).rejects.toThrow()
  }

  await forge.as(forker).put(`/projects/${fork.id}/members/${author.id}`, { access_level: 30 })
  const after = await commit(forker, fork, 'theirs')
  await forge.drain()
  expect(await shown()).toBe(after)
})

test(
  'a merge request of a blocked author follows a public fork, but not a private one',
  inFullRun('Half a second of processor. A private fork is followed as long as its author may push, above.'),
  async () => {
    const { maintainer, forker, fork, at } = await proposed()
    const shown = async () => (await forge.as(maintainer).get(at)).body.sha
    const { body: blocked } = await forge.as(forge.root).post(`/users/${forker.id}/block`)
    expect(blocked).toBe(true)
    const open = await commit(forge.root as TestUser, fork, 'topic')
    await forge.drain()
    expect(await shown()).toBe(open)
    await forge.as(forge.root).put(`/projects/${fork.id}`, { visibility: 'private' })
    await commit(forge.root as TestUser, fork, 'topic')
    await forge.drain()
    expect(await shown()).toBe(open)
  },
)
