/** Avatars of groups and projects over the API: their bytes, for those who see what they are of. */
import { expect, test } from 'vitest'
import { giveAvatars } from '../../../../test/support/fixtures/given-files.ts'
import { testForge } from '../../../../test/support/forge.ts'

test('an avatar is downloaded by who sees its project or group; without one there is nothing', async () => {
  const forge = await testForge()
  const [owner, stranger] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner, visibility: 'private' })
  const project = await forge.project({ group, visibility: 'private', files: null })
  for (const at of [`/groups/${group.id}/avatar`, `/projects/${project.id}/avatar`])
    expect([at, (await forge.as(owner).get(at)).status]).toEqual([at, 404])
  await giveAvatars(forge, { users: owner.id, namespaces: group.id, projects: project.id })
  for (const kind of ['group', 'project'] as const) {
    const { id } = kind === 'group' ? group : project
    const answer = await forge.as(owner).get(`/${kind}s/${id}/avatar`)
    const shown = await forge.as(owner).get(`//uploads/-/system/${kind}/avatar/${id}/avatar.png`)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png'])
    expect(answer.bytes.equals(shown.bytes)).toBe(true)
    expect((await forge.as(stranger).get(`/${kind}s/${id}/avatar`)).status).toBe(404)
  }
})
