/** Quick actions of merge requests that reach into git or into others: targets at creation, merging, copied metadata. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { mergeAskedJob, rebaseAskedJob } from '../notes/notes.jobs.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let reporter: TestUser
let project: TestProject
let counter = 0

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer, reporter] = [await forge.user(), await forge.user(), await forge.user()]
  project = await forge.project({ maintainer, developer, reporter, visibility: 'public' })
  await git(project.dir, 'branch', 'stable', 'main')
})

/** A branch with a commit that main lacks. */
async function branch(): Promise<string> {
  const name = `topic-${++counter}`
  const actions = [{ action: 'create', file_path: name, content: 'x' }]
  const commit = { branch: name, start_branch: 'main', commit_message: name, actions }
  const { status, text } = await forge.as(developer).post(`/projects/${project.id}/repository/commits`, commit)
  expect(status, text).toBe(201)
  return name
}

async function create(user: TestUser, fields: object = {}, at = project.id) {
  const body = { source_branch: await branch(), target_branch: 'main', title: 'It', ...fields }
  return forge.as(user).post(`/projects/${at}/merge_requests`, body)
}

const path = (iid: number, rest = '') => `/projects/${project.id}/merge_requests/${iid}${rest}`
const note = (user: TestUser, iid: number, body: string) => forge.as(user).post(path(iid, '/notes'), { body })

test('/target_branch in a description is where the merge request goes, with the diff of that branch', async () => {
  const actions = [{ action: 'create', file_path: 'only-on-main', content: 'x' }]
  await forge.as(maintainer).post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'Main', actions })
  const { body, status } = await create(developer, { description: 'Text\n/target_branch nowhere\n/target_branch stable' })
  expect([status, body.target_branch, body.description]).toEqual([201, 'stable', 'Text'])
  const { body: changed } = await forge.as(developer).get(path(body.iid, '/changes'))
  expect(changed.changes.map(({ new_path }: { new_path: string }) => new_path)).toContain('only-on-main')
  const unknown = await create(developer, { description: '/target_branch nowhere' })
  expect([unknown.status, unknown.body.target_branch]).toEqual([201, 'main'])
  const same = await forge.as(developer).post(`/projects/${project.id}/merge_requests`, {
    source_branch: 'stable',
    target_branch: 'main',
    title: 'Same',
    description: '/target_branch stable',
  })
  expect(same.status).toBe(422)
})

test('/target_branch of somebody who may not plan there is left out', async () => {
  const outsider = await forge.user()
  const fork = (await forge.as(outsider).post(`/projects/${project.id}/fork`)).body
  await forge.drain()
  const actions = [{ action: 'create', file_path: 'theirs', content: 'x' }]
  const commit = { branch: 'theirs', start_branch: 'main', commit_message: 'Theirs', actions }
  await forge.as(outsider).post(`/projects/${fork.id}/repository/commits`, commit)
  const { body, status } = await forge.as(outsider).post(`/projects/${fork.id}/merge_requests`, {
    source_branch: 'theirs',
    target_branch: 'main',
    target_project_id: project.id,
    title: 'Theirs',
    description: '/target_branch stable',
  })
  expect([status, body.target_branch]).toEqual([201, 'main'])
})

test('/merge merges as of the commit that was there, for those who may', async () => {
  const { body } = await create(developer)
  const refused = await note(developer, body.iid, 'Please\n/merge')
  expect([refused.status, refused.body.commands_changes]).toEqual([201, {}])
  await forge.drain()
  expect((await forge.as(developer).get(path(body.iid))).body.state).toBe('opened')
  const done = await note(maintainer, body.iid, '/merge')
  expect([done.status, done.body.commands_changes]).toEqual([202, { merge: body.sha }])
  await forge.drain()
  const merged = (await forge.as(maintainer).get(path(body.iid))).body
  expect([merged.state, merged.merged_by.id]).toEqual(['merged', maintainer.id])
})

test('/merge merges nothing that was pushed after it, nor anything for a user who may no longer merge', async () => {
  const { body } = await create(developer)
  const actions = [{ action: 'create', file_path: `${body.source_branch}-late`, content: 'x' }]
  const commit = { branch: body.source_branch, commit_message: 'Late', actions }
  expect((await forge.as(developer).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  await mergeAskedJob.handle(forge.app, { merge_request_id: body.id, user_id: maintainer.id, sha: body.sha })
  const { body: now } = await forge.as(developer).get(path(body.iid))
  expect(now.state).toBe('opened')
  const [root, former] = [forge.as(forge.root), await forge.user()]
  const members = `/projects/${project.id}/members`
  await root.post(members, { user_id: former.id, access_level: 40 })
  const ask = async () => {
    await mergeAskedJob.handle(forge.app, { merge_request_id: body.id, user_id: former.id, sha: now.sha })
    return (await forge.as(developer).get(path(body.iid))).body.state
  }
  await root.post(`/users/${former.id}/block`)
  expect(await ask()).toBe('opened')
  await root.post(`/users/${former.id}/unblock`)
  await root.put(`${members}/${former.id}`, { access_level: 30 })
  expect(await ask()).toBe('opened')
  await root.put(`${members}/${former.id}`, { access_level: 40 })
  expect(await ask()).toBe('merged')
})

test('/rebase puts the branch on top of the target, for those who may push to it', async () => {
  const { body } = await create(developer)
  const actions = [{ action: 'create', file_path: `main-${counter}`, content: 'x' }]
  await forge.as(maintainer).post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'Main', actions })
  const refused = await note(reporter, body.iid, 'Please\n/rebase')
  expect([refused.status, refused.body.commands_changes]).toEqual([201, {}])
  // The job checks the role again: its user may have lost it since the note.
  await rebaseAskedJob.handle(forge.app, { merge_request_id: body.id, user_id: reporter.id, sha: body.sha })
  expect(await git(project.dir, 'rev-parse', body.source_branch)).toBe(body.sha)
  const done = await note(developer, body.iid, '/rebase')
  expect([done.status, done.body.commands_changes, done.body.summary]).toEqual([
    ...[202, { rebase: body.sha }, [`Scheduled a rebase of branch ${body.source_branch}.`]],
  ])
  await forge.drain()
  const parent = await git(project.dir, 'rev-parse', `${body.source_branch}^`)
  expect(parent).toBe(await git(project.dir, 'rev-parse', 'main'))
})

test('/copy_metadata takes labels and milestone of an issue or a merge request of the project', async () => {
  const { body: milestone } = await forge.as(developer).post(`/projects/${project.id}/milestones`, { title: 'Next' })
  const { body: source } = await create(developer, { labels: 'one,two', milestone_id: milestone.id })
  const { body: target } = await create(developer)
  const done = await note(developer, target.iid, `/copy_metadata !${source.iid}`)
  expect(done.body.summary).toEqual([`Copied labels and milestone from !${source.iid}.`])
  const copied = (await forge.as(developer).get(path(target.iid))).body
  expect([copied.labels.sort(), copied.milestone.id]).toEqual([['one', 'two'], milestone.id])
  const issue = await forge.issue(project, developer)
  const at = `/projects/${project.id}/issues/${issue.iid}`
  await forge.as(developer).post(`${at}/notes`, { body: `/copy_metadata ${source.web_url}` })
  expect((await forge.as(developer).get(at)).body.labels.sort()).toEqual(['one', 'two'])
  // Not of itself, nor of one that they can't see or that isn't there.
  const hidden = await forge.project({ owner: await forge.user() })
  for (const named of [`!${target.iid}`, '!99999', `${hidden.full_path}!1`])
    expect((await note(developer, target.iid, `Text\n/copy_metadata ${named}`)).body.commands_changes).toEqual({})
})
