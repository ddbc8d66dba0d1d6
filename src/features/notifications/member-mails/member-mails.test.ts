/** Mail about members: who became one or didn't, and who asks those who decide. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, openForge } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer } from '../../../../test/support/mail-server.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(() => void server.received.splice(0))

async function told(): Promise<Array<[to: string, subject: string | undefined, text: string]>> {
  await forge.drain()
  return server.received.splice(0).map(({ to, mail }) => [to, mail.subject, mail.text ?? ''])
}

test('a new member gets mail with their role; the creator of a project or group, and users who want no mail, do not', async () => {
  const [owner, ada, quiet] = [await forge.user(), await forge.user(), await forge.user()]
  await forge.as(quiet).put('/notification_settings', { level: 'disabled' })
  const { body: group } = await forge.as(owner).post('/groups', { name: 'Mailed', path: `mailed-${owner.username}`, visibility: 'private' })
  const { body: project } = await forge.as(owner).post('/projects', { name: 'Own', path: 'own' })
  expect(await told()).toEqual([])
  await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: ada.id, access_level: 20 })
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: ada.id, access_level: 30 })
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: quiet.id, access_level: 30 })
  expect((await told()).sort()).toEqual([
    [ada.email, `You are a member of ${group.full_path}`, expect.stringContaining('Your role there is Reporter.')],
    [ada.email, `You are a member of ${project.path_with_namespace}`, expect.stringContaining('Your role there is Developer.')],
  ])
})

test('a request goes to those who manage the place, and its answer to who asked, unless they withdrew it', async () => {
  const [owner, maintainer, developer, ada] = [
    await forge.user(),
    await forge.user(),
    await forge.user(),
    await forge.user({ name: 'Ada <b>' }),
  ]
  const project = await forge.project({ owner, maintainer, developer, visibility: 'public', files: null })
  await forge.as(forge.root).put(`/projects/${project.id}`, { request_access_enabled: true })
  const requests = `/projects/${project.id}/access_requests`
  await forge.as(ada).post(requests)
  const asked = await told()
  expect(asked.map(([to]) => to)).not.toContain(developer.email)
  expect(asked.map(([to]) => to)).toContain(maintainer.email)
  expect(asked[0]?.slice(1)).toEqual([
    `Request for access to ${project.full_path}`,
    expect.stringContaining(`Ada <b> (@${ada.username}) asks`),
  ])

  await forge.as(ada).delete(`${requests}/${ada.id}`)
  expect(await told()).toEqual([])
  await forge.as(ada).post(requests)
  await told()
  await forge.as(maintainer).delete(`${requests}/${ada.id}`)
  expect(await told()).toEqual([[ada.email, `Access to ${project.full_path} denied`, expect.stringContaining('has been denied')]])
  await forge.as(ada).post(requests)
  await told()
  await forge.as(maintainer).put(`${requests}/${ada.id}/approve`, { access_level: 20 })
  expect(await told()).toEqual([
    [ada.email, `Access to ${project.full_path} granted`, expect.stringContaining('Your role there is Reporter.')],
  ])
})

test('a group without owners of its own asks those above, and who lost sight of a place hears nothing about it', async () => {
  const [owner, ada] = [await forge.user(), await forge.user()]
  const top = await forge.group({ owner, visibility: 'public' })
  const project = await forge.project({ group: top, visibility: 'public', files: null })
  await forge.as(forge.root).put(`/projects/${project.id}`, { request_access_enabled: true })
  await forge.as(ada).post(`/projects/${project.id}/access_requests`)
  expect((await told()).map(([to]) => to)).toContain(owner.email)
  await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'private' })
  await forge.as(owner).delete(`/projects/${project.id}/access_requests/${ada.id}`)
  expect(await told()).toEqual([])
})
