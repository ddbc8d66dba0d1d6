/** A client of the interface that knows nothing of us, unmodified, over a real socket: repositories from the first commit on. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { clientTest, clientTestIf } from '../clients/client-test.ts'
import type { Forge } from '../support/forge.ts'
import { hasSsh, keyPair } from '../support/ssh.ts'

type Api = InstanceType<typeof Gitlab>

const apiOf = async (forge: Forge): Promise<Api> => new Gitlab({ host: await forge.url(), token: forge.root.token })

async function projectWith(forge: Forge, api: Api, files: Record<string, string>): Promise<{ id: number; first: string }> {
  const { id } = await forge.project({ files: null })
  const actions = Object.entries(files).map(([filePath, content]) => ({ action: 'create' as const, filePath, content }))
  const { id: first } = await api.Commits.create(id, 'main', 'First', actions)
  return { id, first }
}

clientTest('commits are made, repeated, undone, compared and listed', {}, async (forge) => {
  const api = await apiOf(forge)
  const { id, first } = await projectWith(forge, api, { 'README.md': '# Hello\n', 'lib/a.rb': 'one\ntwo\nthree\n' })
  const topic = await api.Commits.create(
    id,
    'topic/x',
    'Move',
    [
      { action: 'move', previousPath: 'lib/a.rb', filePath: 'lib/b.rb' },
      { action: 'chmod', filePath: 'README.md', execute_filemode: true },
    ],
    { startBranch: 'main', authorName: 'Ada', authorEmail: 'ada@example.com' },
  )
  expect([topic.parent_ids, topic.author_name]).toEqual([[first], 'Ada'])
  const picked = await api.Commits.cherryPick(id, topic.id, 'main')
  const undone = await api.Commits.revert(id, picked.id, 'main')
  expect((await api.Commits.all(id, { perPage: 1, maxPages: 9 })).map(({ id }) => id)).toEqual([undone.id, picked.id, first])
  expect(await api.Repositories.compare(id, 'main', 'topic/x')).toMatchObject({
    commits: [{ id: topic.id }],
    diffs: [{ new_path: 'README.md' }, { old_path: 'lib/a.rb', new_path: 'lib/b.rb' }],
  })
  expect((await api.Repositories.mergeBase(id, ['main', 'topic/x'])).id).toBe(first)
})

clientTest('comments and statuses are attached to a commit', {}, async (forge) => {
  const api = await apiOf(forge)
  const { id, first } = await projectWith(forge, api, { 'a.txt': 'one\ntwo\n' })
  await api.Commits.createComment(id, first, 'Here', { path: 'a.txt', line: 2, lineType: 'new' })
  expect(await api.Commits.allComments(id, first)).toMatchObject([{ note: 'Here', path: 'a.txt', line: 2, line_type: 'new' }])
  await api.Commits.editStatus(id, first, 'pending', { name: 'build', ref: 'main' })
  await api.Commits.editStatus(id, first, 'success', { name: 'build', ref: 'main', coverage: 12.5 })
  expect(await api.Commits.allStatuses(id, first)).toMatchObject([{ name: 'build', status: 'success', coverage: 12.5 }])
  expect((await api.Commits.show(id, first)).last_pipeline).toMatchObject({ ref: 'main', status: 'success' })
})

clientTest('files are written, read, blamed and removed', {}, async (forge) => {
  const api = await apiOf(forge)
  const { id } = await projectWith(forge, api, { 'README.md': '# Hello\n' })
  const path = 'docs/ü ö.md'
  await api.RepositoryFiles.create(id, path, 'main', 'one\n', 'Add')
  await api.RepositoryFiles.edit(id, path, 'main', 'one\ntwo\n', 'Edit')
  const { content } = await api.RepositoryFiles.show(id, path, 'main')
  expect(Buffer.from(content, 'base64').toString()).toBe('one\ntwo\n')
  expect(await api.RepositoryFiles.showRaw(id, path, 'main')).toBe('one\ntwo\n')
  const blamed = await api.RepositoryFiles.allFileBlames(id, path, 'main')
  expect(blamed.map(({ commit, lines }) => [commit.message, lines])).toEqual([
    ['Add', ['one']],
    ['Edit', ['two']],
  ])
  await api.RepositoryFiles.remove(id, path, 'main', 'Remove')
  await expect(api.RepositoryFiles.show(id, path, 'main')).rejects.toMatchObject({ cause: { description: '404 File Not Found' } })
})

clientTest('branches and tags come, are protected, and go', {}, async (forge) => {
  const api = await apiOf(forge)
  const { id, first } = await projectWith(forge, api, { 'README.md': '# Hello\n' })
  await api.Branches.create(id, 'release/1.0', 'main')
  await api.ProtectedBranches.protect(id, 'release/*', { pushAccessLevel: 40, mergeAccessLevel: 30 })
  expect((await api.ProtectedBranches.all(id)).map(({ name }) => name)).toEqual(['main', 'release/*'])
  expect(await api.Branches.show(id, 'release/1.0')).toMatchObject({ protected: true, developers_can_merge: true })
  await api.ProtectedBranches.unprotect(id, 'release/*')
  await api.Branches.remove(id, 'release/1.0')
  expect((await api.Branches.all(id)).map(({ name }) => name)).toEqual(['main'])
  await api.ProtectedTags.protect(id, 'v*', { createAccessLevel: 40 })
  const tag = await api.Tags.create(id, 'v1', first)
  expect([tag.target, (await api.Tags.all(id)).map(({ name }) => name)]).toEqual([first, ['v1']])
  await api.ProtectedTags.unprotect(id, 'v*')
  await api.Tags.remove(id, 'v1')
  await expect(api.Tags.show(id, 'v1')).rejects.toMatchObject({ cause: { description: '404 Tag Not Found' } })
})

clientTest('trees, archives, contributors and languages are told', {}, async (forge) => {
  const api = await apiOf(forge)
  const { id } = await projectWith(forge, api, { 'README.md': '# Hello\n', 'lib/a.rb': 'one\ntwo\nthree\n' })
  const tree = await api.Repositories.allRepositoryTrees(id, { recursive: true })
  expect(tree.map(({ path }) => path)).toEqual(['lib', 'README.md', 'lib/a.rb'])
  const archive = (await api.Repositories.showArchive(id, { fileType: 'zip' })) as Blob
  expect(Buffer.from(await archive.arrayBuffer()).subarray(0, 4)).toEqual(Buffer.from('PK\u0003\u0004'))
  expect(await api.Repositories.allContributors(id)).toMatchObject([{ commits: 1, additions: 4, deletions: 0 }])
  expect(await api.Projects.showLanguages(id)).toEqual({ Ruby: 100 })
  await api.Projects.housekeeping(id)
})

clientTestIf(hasSsh)('SSH keys are added, listed, told by number and removed, for oneself and for others', {}, async (forge) => {
  const api = await apiOf(forge)
  const [mine, hers] = await Promise.all([keyPair(), keyPair('ecdsa')])
  const key = await api.UserSSHKeys.create('laptop', mine.line)
  expect(await api.UserSSHKeys.all()).toMatchObject([{ id: key.id, title: 'laptop', key: mine.line }])
  await expect(api.UserSSHKeys.create('again', mine.line)).rejects.toMatchObject({ cause: { response: { status: 400 } } })
  const { id: userId } = await forge.user()
  const other = await api.UserSSHKeys.create('desk', hers.line, { userId })
  expect((await api.UserSSHKeys.all({ userId })).map(({ title }) => title)).toEqual(['desk'])
  expect((await api.Keys.show({ keyId: other.id })).user).toMatchObject({ id: userId })
  await api.UserSSHKeys.remove(other.id, { userId })
  await api.UserSSHKeys.remove(key.id)
  await expect(api.UserSSHKeys.show(key.id)).rejects.toMatchObject({ cause: { description: '404 Key Not Found' } })
  expect(await api.UserSSHKeys.all({ userId })).toEqual([])
})

clientTestIf(hasSsh)('deploy keys are added, changed, enabled elsewhere and removed', {}, async (forge) => {
  const api = await apiOf(forge)
  const [{ id: first }, { id: second }, { line }] = await Promise.all([forge.project(), forge.project(), keyPair()])
  const { id } = await api.DeployKeys.create(first, 'builder', line, { canPush: true })
  expect(await api.DeployKeys.edit(first, id, { title: 'mirror', canPush: false })).toMatchObject({ title: 'mirror', can_push: false })
  await api.DeployKeys.enable(second, id)
  expect(await api.DeployKeys.all({ projectId: second })).toMatchObject([{ id, title: 'mirror', can_push: false }])
  expect((await api.DeployKeys.all()).map(({ title }) => title)).toContain('mirror')
  await api.DeployKeys.remove(first, id)
  await expect(api.DeployKeys.show(first, id)).rejects.toMatchObject({ cause: { response: { status: 404 } } })
  expect((await api.DeployKeys.show(second, id)).id).toBe(id)
  await api.DeployKeys.remove(second, id)
  expect((await api.DeployKeys.all()).map(({ title }) => title)).not.toContain('mirror')
})

clientTest('the git protocol and the min size of keys are settings', {}, async (forge) => {
  const api = await apiOf(forge)
  const changed = await api.ApplicationSettings.edit({ rsaKeyRestriction: 2048, enabledGitAccessProtocol: 'ssh' })
  expect(changed).toMatchObject({ rsa_key_restriction: 2048, enabled_git_access_protocol: 'ssh' })
  await api.ApplicationSettings.edit({ rsaKeyRestriction: 0, enabledGitAccessProtocol: 'nil' })
  expect(await api.ApplicationSettings.show()).toMatchObject({ rsa_key_restriction: 0, enabled_git_access_protocol: null })
})
