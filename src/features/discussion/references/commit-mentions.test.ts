/** Commits that issues, merge requests and comments name say so. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noteOnCommitsJob } from './commit-mentions.jobs.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter] = [await forge.user(), await forge.user()]
})

/** A project of two commits, with their ids. */
async function place() {
  const project = await forge.project({ owner, reporter, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  return { project, tip: await git(project.dir, 'rev-parse', 'main'), first: await git(project.dir, 'rev-parse', 'main~1') }
}

const at = (project: TestProject, path: string) => `/projects/${project.id}/${path}`
const comments = async (project: TestProject, oid: string, user = owner) =>
  (await forge.as(user).get(at(project, `repository/commits/${oid}/comments`))).body.map(({ note }: { note: string }) => note)

test('an issue that names a commit is noted on it once, by its author, however often it is written again', async () => {
  const { project, tip } = await place()
  const issue = await forge.issue(project, reporter, { description: `Broken since ${tip.slice(0, 9)}` })
  await forge.drain()
  expect(await comments(project, tip)).toEqual([`mentioned in issue #${issue.iid}`])
  await forge.as(owner).put(at(project, `issues/${issue.iid}`), { description: `Broken since ${tip}` })
  await forge.as(owner).post(at(project, `issues/${issue.iid}/notes`), { body: `It was ${tip.slice(0, 12)}` })
  await forge.drain()
  expect(await comments(project, tip)).toEqual([`mentioned in issue #${issue.iid}`])
  const { body } = await forge.as(owner).get(at(project, `repository/commits/${tip}/discussions`))
  expect(body[0].notes).toMatchObject([{ system: true, author: { username: reporter.username }, commit_id: tip }])
})

test('a reader who can’t see the issue doesn’t see the note, and an internal comment leaves none', async () => {
  const { project, tip, first } = await place()
  const guest = await forge.user()
  await forge.app.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute()
  const secret = await forge.issue(project, owner, { description: `See ${tip}`, confidential: true })
  const open = await forge.issue(project, owner)
  await forge.as(owner).post(at(project, `issues/${open.iid}/notes`), { body: `See ${first}`, internal: true })
  await forge.drain()
  expect(await comments(project, tip)).toEqual([`mentioned in issue #${secret.iid}`])
  expect(await comments(project, tip, guest)).toEqual([])
  expect(await comments(project, first)).toEqual([])
})

test('a merge request is noted on the commits it names, but for its own', async () => {
  const { project, tip, first } = await place()
  await git(project.dir, 'branch', 'base', first)
  const description = `Brings ${tip} onto ${first}`
  const sent = { source_branch: 'main', target_branch: 'base', title: 'Two', description }
  const { body: request } = await forge.as(owner).post(at(project, 'merge_requests'), sent)
  await forge.drain()
  expect(await comments(project, first)).toEqual([`mentioned in merge request !${request.iid}`])
  expect(await comments(project, tip)).toEqual([])
})

test('a comment on a commit is noted on the others it names', async () => {
  const { project, tip, first } = await place()
  const note = `Undoes ${first} and ${tip}`
  for (let time = 0; time < 2; time += 1) await forge.as(reporter).post(at(project, `repository/commits/${tip}/comments`), { note })
  await forge.drain()
  expect(await comments(project, first)).toEqual([`mentioned in commit ${tip}`])
  expect(await comments(project, tip)).toEqual([note, note])
})

test('no note is added for commits that the author can’t read, for a branch named like an id, or for an id inside code', async () => {
  const { project, tip } = await place()
  const other = await forge.project({ owner, commits: [{ files: { b: '1' } }] })
  const secret = await git(other.dir, 'rev-parse', 'main')
  await git(project.dir, 'branch', 'cafecafe', 'main')
  await forge.issue(project, reporter, { description: `${other.full_path}@${secret}, cafecafe, \`${tip}\` and 1234567` })
  await forge.drain()
  expect([await comments(other, secret), await comments(project, tip)]).toEqual([[], []])
})

test('the same mention read twice at once is noted once, and nothing of an issue that is gone', async () => {
  const { project, tip } = await place()
  const issue = await forge.issue(project, owner)
  const mention = { author_id: owner.id, at: new Date().toISOString(), commits: [{ path: null, name: tip }] }
  const read = (issue_id: number) => noteOnCommitsJob.handle(forge.app, { ...mention, on: { issue_id } })
  await Promise.all([read(issue.id), read(issue.id), read(issue.id)])
  await read(issue.id + 1_000)
  expect(await comments(project, tip)).toEqual([`mentioned in issue #${issue.iid}`])
})

test('a text that names no commit costs no statement more, and one that does costs one', async () => {
  const { project, tip } = await place()
  const issue = await forge.issue(project, owner)
  const cost = async (body: string) =>
    (await forge.cost(() => forge.as(owner).post(at(project, `issues/${issue.iid}/notes`), { body }))).statements
  await cost('warm')
  const plain = await cost('Nothing')
  expect(await cost(`See ${tip}`)).toBe(plain + 1)
})
