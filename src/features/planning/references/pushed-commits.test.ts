/** What pushed commits do to issues. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import type { Issue } from '../../../db/tables.ts'
import { recordPush } from '../../repository/pushes/record.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

async function commit(
  project: TestProject,
  { tree, parent, message, email }: { tree: string; parent?: string; message: string; email: string },
): Promise<string> {
  const who = `Somebody <${email}> 1500000000 +0000`
  const lines = [`tree ${tree}`, ...(parent ? [`parent ${parent}`] : []), `author ${who}`, `committer ${who}`, '', message]
  return gitWriting(project.dir, lines.join('\n'), 'hash-object', '-t', 'commit', '-w', '--stdin')
}

/** Pushes commits with these messages on top of main. Their ids, in order. */
async function push(
  project: TestProject,
  user: TestUser,
  messages: string[],
  { branch = 'main', email = 'nobody@example.com' } = {},
): Promise<string[]> {
  const before = await git(project.dir, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => '')
  const oids: string[] = []
  for (const message of messages) {
    const parent = oids.at(-1) ?? (before || (await git(project.dir, 'rev-parse', 'main')))
    const tree = await git(project.dir, 'rev-parse', `${parent}^{tree}`)
    oids.push(await commit(project, { tree, parent, message, email }))
  }
  const after = oids.at(-1) ?? ''
  await git(project.dir, 'update-ref', `refs/heads/${branch}`, after)
  await recordPush(forge.app, { project, user }, [{ before: before || '0'.repeat(40), after, ref: `refs/heads/${branch}` }], null)
  await forge.drain()
  return oids
}

async function read(user: TestUser, project: TestProject, issue: Issue) {
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const [{ body }, notes] = [await forge.as(user).get(at), await forge.as(user).get(`${at}/notes?sort=asc`)]
  return { state: body.state, closed_by: body.closed_by?.username, notes: notes.body.map((note: { body: string }) => note.body) }
}

async function cast() {
  const [owner, dev] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: dev })
  return { owner, dev, project }
}

test('a push to the default branch closes the issues that its commits say they close', async () => {
  const { owner, dev, project } = await cast()
  const other = await forge.project({ owner, developer: dev, visibility: 'public' })
  const [one, two, three, far] = [
    await forge.issue(project, owner),
    await forge.issue(project, owner),
    await forge.issue(project, owner),
    await forge.issue(other, owner),
  ]
  const [oid] = await push(project, dev, [`Fix it\n\nCloses #${one.iid}, #${two.iid} and ${other.full_path}#${far.iid}. See #${three.iid}`])
  for (const issue of [one, two])
    expect(await read(owner, project, issue)).toEqual({ state: 'closed', closed_by: dev.username, notes: [`closed via commit ${oid}`] })
  expect(await read(owner, project, three)).toEqual({ state: 'opened', closed_by: undefined, notes: [`mentioned in commit ${oid}`] })
  expect(await read(owner, other, far)).toEqual({
    state: 'closed',
    closed_by: dev.username,
    notes: [`closed via commit ${project.path}@${oid}`],
  })
  // The commit is of a private project.
  expect((await read(await forge.user(), other, far)).notes).toEqual([])
})

test('a push to another branch closes nothing, and says once that the issue is mentioned', async () => {
  const { owner, dev, project } = await cast()
  const issue = await forge.issue(project, owner)
  const [oid] = await push(project, dev, [`Closes #${issue.iid}`], { branch: 'topic' })
  await push(project, dev, ['Nothing'], { branch: 'topic' })
  expect(await read(owner, project, issue)).toEqual({ state: 'opened', closed_by: undefined, notes: [`mentioned in commit ${oid}`] })
  await git(project.dir, 'update-ref', 'refs/heads/main', oid as string)
  await push(project, dev, ['Next'])
  expect((await read(owner, project, issue)).notes.length).toBe(1)
})

test('a push closes nothing that the pusher may not close or see, whoever is named as author', async () => {
  const { owner, dev, project } = await cast()
  const open = await forge.project({ owner, visibility: 'public' })
  const hidden = await forge.project({ owner })
  const [theirs, secret] = [await forge.issue(open, owner), await forge.issue(hidden, owner)]
  const email = (await forge.as(owner).get('/user')).body.email
  await push(project, dev, [`Closes ${open.full_path}#${theirs.iid} and ${hidden.full_path}#${secret.iid}`], { email })
  expect(await read(owner, open, theirs)).toMatchObject({ state: 'opened', notes: [expect.stringContaining('mentioned in commit ')] })
  expect(await read(owner, hidden, secret)).toMatchObject({ state: 'opened', notes: [] })
})

test('an issue is closed by the author of the commit, where their address is known', async () => {
  const { owner, dev, project } = await cast()
  const issue = await forge.issue(project, owner)
  const email = (await forge.as(owner).get('/user')).body.email
  await push(project, dev, [`Fixes #${issue.iid}`], { email })
  expect(await read(owner, project, issue)).toMatchObject({ state: 'closed', closed_by: owner.username })
})

test('a comment on a commit is noted where it mentions an issue, as the commit’s message is', async () => {
  const { owner, dev, project } = await cast()
  const issue = await forge.issue(project, owner)
  const oid = await git(project.dir, 'rev-parse', 'main')
  const comment = () => forge.as(dev).post(`/projects/${project.id}/repository/commits/${oid}/comments`, { note: `Broke #${issue.iid}` })
  expect([(await comment()).status, (await comment()).status]).toEqual([201, 201])
  expect((await read(owner, project, issue)).notes).toEqual([`mentioned in commit ${oid}`])
})

test('the first push to a project closes nothing', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const issue = await forge.issue(project, owner)
  const tree = await gitWriting(project.dir, '', 'mktree')
  const after = await commit(project, { tree, message: `Closes #${issue.iid}`, email: 'a@example.com' })
  await git(project.dir, 'update-ref', 'refs/heads/main', after)
  await recordPush(forge.app, { project, user: owner }, [{ before: '0'.repeat(40), after, ref: 'refs/heads/main' }], null)
  await forge.drain()
  expect(await read(owner, project, issue)).toMatchObject({ state: 'opened', notes: [] })
})
