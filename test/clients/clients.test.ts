/** Clients of the interface that know nothing of us, unmodified, drive users, groups, projects, members and settings. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { gpgKey } from '../support/fixtures/gpg-keys.ts'
import { onePixel } from '../support/fixtures/images.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

clientTestIf(python !== undefined)('python3-gitlab', {}, async (forge) => {
  expect(await runs(forge, python as string, 'python_gitlab.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', {}, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_gitlab.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', {}, async (forge) => {
  const api = new Gitlab({ host: await forge.url(), token: forge.root.token })
  const ada = await api.Users.create({
    email: 'ada@js.example.com',
    username: 'js-ada',
    name: 'Ada',
    password: 'a long password',
    skipConfirmation: true,
  })
  expect((await api.Users.all({ username: 'js-ada' })).map(({ id }) => id)).toEqual([ada.id])
  expect((await api.Users.edit(ada.id, { bio: 'Programs' })).bio).toBe('Programs')
  await api.Users.block(ada.id)
  expect((await api.Users.show(ada.id)).state).toBe('blocked')
  await api.Users.unblock(ada.id)
  const key = gpgKey()
  const { id: keyId } = await api.UserGPGKeys.create(key, { userId: ada.id })
  expect((await api.UserGPGKeys.all({ userId: ada.id })).map((one) => one.key)).toEqual([key])
  await api.UserGPGKeys.remove(keyId, { userId: ada.id })
  const { token } = (await api.UserImpersonationTokens.create(ada.id, 'script', ['api'])) as { token: string }
  const asAda = new Gitlab({ host: await forge.url(), token })
  expect((await asAda.Users.showCurrentUser()).username).toBe('js-ada')

  const top = await api.Groups.create('Js Top', 'js-top', { visibility: 'public' })
  const low = await api.Groups.create('Low', 'low', { parentId: top.id })
  expect((await api.Groups.allSubgroups(top.id)).map(({ full_path }) => full_path)).toEqual(['js-top/low'])
  expect((await api.Groups.edit(low.id, { description: 'Below' })).description).toBe('Below')
  expect(await api.GroupMembers.add(top.id, 30, { userId: ada.id, expiresAt: '2100-01-01' })).toMatchObject({ expires_at: '2100-01-01' })
  expect((await api.GroupMembers.edit(top.id, ada.id, 40)).access_level).toBe(40)
  expect((await api.GroupMembers.all(low.id, { includeInherited: true })).map(({ id }) => id)).toContain(ada.id)

  const project = await api.Projects.create({ name: 'Js Engine', namespaceId: top.id, visibility: 'public' })
  await api.RepositoryFiles.create(project.id, 'README.md', 'main', '# Engine\n', 'First')
  expect((await asAda.Projects.edit(project.id, { description: 'Runs' })).description).toBe('Runs')
  await asAda.Projects.star(project.id)
  expect((await asAda.Projects.all({ starred: true })).map(({ id }) => id)).toEqual([project.id])
  const fork = await asAda.Projects.fork(project.id)
  expect((await api.Projects.allForks(project.id)).map(({ id }) => id)).toEqual([fork.id])
  await api.Projects.archive(project.id)
  expect((await api.Projects.show(project.id)).archived).toBe(true)
  await api.Projects.unarchive(project.id)
  await api.Projects.transfer(project.id, 'root')
  expect((await api.Projects.show(project.id)).path_with_namespace).toBe('root/js-engine')
  await api.Groups.transferProject(top.id, project.id)
  const { avatar_url } = await api.Projects.uploadAvatar(project.id, { content: new Blob([onePixel]), filename: 'engine.png' })
  expect(avatar_url).toMatch(/\/engine\.png$/)
  const uploaded = await api.Projects.uploadForReference(project.id, { content: new Blob(['some notes']), filename: 'notes.txt' })
  expect(uploaded.markdown).toContain('notes.txt')

  const settings = await api.ApplicationSettings.show()
  expect(settings.default_projects_limit).toBe(100_000)
  expect((await api.ApplicationSettings.edit({ defaultProjectVisibility: 'internal' })).default_project_visibility).toBe('internal')
  await api.ApplicationSettings.edit({ defaultProjectVisibility: 'private' })
  await api.Groups.remove(top.id)
  await api.Users.remove(ada.id)
})
