/** Pushed commits mention and close issues. */
import { beforeAll, expect, test } from 'vitest'
import { exportOf, importOf } from '../../../../test/support/fixtures/archives.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import type { Issue } from '../../../db/tables.ts'
import { recordPush } from '../../repository/pushes/record.ts'
import { readPushedCommits } from './pushed-commits.ts'

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

test(
  'a push to another branch closes nothing, and says once that the issue is mentioned',
  inFullRun('Half a second of processor. `A push closes nothing that the pusher may not close` has the other side.'),
  async () => {
    const { owner, dev, project } = await cast()
    const issue = await forge.issue(project, owner)
    const [oid] = await push(project, dev, [`Closes #${issue.iid}`], { branch: 'topic' })
    await push(project, dev, ['Nothing'], { branch: 'topic' })
    expect(await read(owner, project, issue)).toEqual({ state: 'opened', closed_by: undefined, notes: [`mentioned in commit ${oid}`] })
    await git(project.dir, 'update-ref', 'refs/heads/main', oid as string)
    await push(project, dev, ['Next'])
    expect((await read(owner, project, issue)).notes.length).toBe(1)
  },
)

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
  // If the address of another account counted, a pusher could find out whose it is.
  const [other, stranger] = [await forge.issue(project, owner), await forge.user()]
  await push(project, dev, [`Fixes #${other.iid}`], { email: stranger.email })
  expect(await read(owner, project, other)).toMatchObject({ state: 'closed', closed_by: dev.username })
})

test('a comment on a commit is noted where it mentions an issue, as the commit’s message is', async () => {
  const { owner, dev, project } = await cast()
  const issue = await forge.issue(project, owner)
  const oid = await git(project.dir, 'rev-parse', 'main')
  const comment = () => forge.as(dev).post(`/projects/${project.id}/repository/commits/${oid}/comments`, { note: `Broke #${issue.iid}` })
  expect([(await comment()).status, (await comment()).status]).toEqual([201, 201])
  expect((await read(owner, project, issue)).notes).toEqual([`mentioned in commit ${oid}`])
})

const commentsOn = async (user: TestUser, project: TestProject, oid: string): Promise<string[]> =>
  (await forge.as(user).get(`/projects/${project.id}/repository/commits/${oid}/comments`)).body.map(({ note }: { note: string }) => note)

test('a pushed commit that names another one is noted there once, in whichever project it is', async () => {
  const { owner, dev, project } = await cast()
  const other = await forge.project({ owner, developer: dev, visibility: 'public', commits: [{ files: { own: 'other' } }] })
  const [tip, far] = [await git(project.dir, 'rev-parse', 'main'), await git(other.dir, 'rev-parse', 'main')]
  const message = `Revert it\n\nThis reverts commit ${tip}, see ${tip.slice(0, 10)} and ${other.full_path}@${far.slice(0, 8)}`
  const [oid] = await push(project, dev, [message], { branch: 'topic' })
  await git(project.dir, 'update-ref', 'refs/heads/main', oid as string)
  await recordPush(forge.app, { project, user: dev }, [{ before: tip, after: oid as string, ref: 'refs/heads/main' }], null)
  await forge.drain()
  expect(await commentsOn(owner, project, tip)).toEqual([`mentioned in commit ${oid}`])
  expect(await commentsOn(owner, other, far)).toEqual([`mentioned in commit ${project.path}@${oid}`])
  // The commit is of a private project.
  expect(await commentsOn(await forge.user(), other, far)).toEqual([])
})

test(
  'a pushed commit notes nothing on commits that aren’t there, that its pusher can’t see, or on itself',
  inFullRun('Half a second of processor. A push closes nothing that the pusher may not see, above.'),
  async () => {
    const { owner, dev, project } = await cast()
    const hidden = await forge.project({ owner, commits: [{ files: { own: 'hidden' } }] })
    const secret = await git(hidden.dir, 'rev-parse', 'main')
    await git(project.dir, 'branch', 'deadbeef', 'main')
    const tip = await git(project.dir, 'rev-parse', 'main')
    const [oid] = await push(project, dev, [`See ${hidden.full_path}@${secret}, ${'a'.repeat(40)} and deadbeef`], { branch: 'topic' })
    for (const [of, at] of [
      [hidden, secret],
      [project, tip],
      [project, oid as string],
    ] as const)
      expect(await commentsOn(owner, of, at)).toEqual([])
  },
)

test(
  'of a push of many commits the newest hundred are read, and each names a hundred others at most',
  inFullRun('3 s of processor. Other tests here read a few commits.'),
  async () => {
    const { owner, dev, project } = await cast()
    const tip = await git(project.dir, 'rev-parse', 'main')
    const lines = Array.from({ length: 150 }, (_, index) => (index + 0x1000000).toString(16)).join('\n')
    const messages = [`First: ${tip}`, ...Array.from({ length: 100 }, (_, index) => `More ${index}`), `Many\n\n${lines}\n${tip}`]
    await push(project, dev, messages, { branch: 'topic' })
    expect(await commentsOn(owner, project, tip)).toEqual([])
  },
)

test(
  'two reads of a push at once note a commit once',
  inFullRun('Half a second of processor. A commit that names another one is noted there once, above.'),
  async () => {
    const { owner, dev, project } = await cast()
    const tip = await git(project.dir, 'rev-parse', 'main')
    const [oid] = await push(project, dev, ['Nothing'], { branch: 'topic' })
    const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
    const after = await commit(project, { tree, parent: oid as string, message: `See ${tip}`, email: 'a@example.com' })
    const read = () => readPushedCommits(forge.app, project.id, dev.id, { before: oid as string, after, isDefault: false })
    await Promise.all([read(), read(), read()])
    expect(await commentsOn(owner, project, tip)).toEqual([`mentioned in commit ${after}`])
  },
)

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

test(
  'an issue of an imported project that knows of a commit gets no second note when that commit is pushed again',
  inFullRun('1 s of processor. A pushed commit that names another one is noted once, above.'),
  async () => {
    const { owner, dev, project } = await cast()
    const issue = await forge.issue(project, owner)
    const [oid] = await push(project, dev, [`See #${issue.iid}`])
    const { id } = await importOf(forge, owner, await exportOf(forge, owner, project))
    const copy = { ...project, id, dir: forge.app.git.open(id).dir }
    await git(copy.dir, 'update-ref', 'refs/heads/main', `${oid}~1`)
    const change = { before: await git(copy.dir, 'rev-parse', 'main'), after: oid as string, ref: 'refs/heads/main' }
    await git(copy.dir, 'update-ref', change.ref, change.after)
    await recordPush(forge.app, { project: copy, user: owner }, [change], null)
    await forge.drain()
    expect(await read(owner, copy, issue)).toMatchObject({ notes: [`mentioned in commit ${oid}`] })
    // As before the import, it is for those who can read the code.
    const reader = await forge.user()
    await forge.app.db
      .updateTable('projects')
      .set({ visibility: 'public', repository_access_level: 'private' })
      .where('id', '=', id)
      .execute()
    expect((await read(reader, copy, issue)).notes).toEqual([])
  },
)
