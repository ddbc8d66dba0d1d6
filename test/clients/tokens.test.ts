/** A client of today, unmodified, manages the tokens of projects, groups and machines. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { clientTest } from './client-test.ts'

clientTest(
  '@gitbeaker/rest creates, lists, shows, rotates and revokes tokens of projects and groups, and deploy tokens',
  {},
  async (forge) => {
    const host = await forge.url()
    const api = new Gitlab({ host, token: forge.root.token })
    const group = await forge.group()
    const project = await forge.project({ group })
    for (const [tokens, id] of [
      [api.ProjectAccessTokens, project.id],
      [api.GroupAccessTokens, group.id],
    ] as const) {
      const made = await tokens.create(id, 'builder', ['api', 'write_repository'], '2030-12-31', { accessLevel: 30 })
      expect(made).toMatchObject({ name: 'builder', access_level: 30, expires_at: '2030-12-31', active: true })
      expect((await new Gitlab({ host, token: made.token }).Users.showCurrentUser()).id).toBe(made.user_id)
      expect((await tokens.all(id)).map((one) => one.id)).toEqual([made.id])
      const rotated = await tokens.rotate(id, made.id, { expiresAt: '2031-01-01' })
      expect(rotated).toMatchObject({ user_id: made.user_id, expires_at: '2031-01-01' })
      await tokens.revoke(id, rotated.id)
      expect((await tokens.show(id, rotated.id)).revoked).toBe(true)
    }
    for (const place of [{ projectId: project.id }, { groupId: group.id }]) {
      const made = await api.DeployTokens.create('mirror', ['read_repository'], { ...place, expires_at: '2030-12-31' })
      expect(made).toMatchObject({ name: 'mirror', scopes: ['read_repository'] })
      expect((await api.DeployTokens.all(place)).map((one) => one.id)).toEqual([made.id])
      expect((await api.DeployTokens.show(made.id, place)).username).toBe(`gitstead+deploy-token-${made.id}`)
      await api.DeployTokens.remove(made.id, place)
      expect(await api.DeployTokens.all(place)).toEqual([])
    }
    const own = await api.PersonalAccessTokens.create(forge.root.id, 'own', ['api'])
    const rotated = await api.PersonalAccessTokens.rotate(own.id)
    expect([rotated.name, rotated.id === own.id]).toEqual(['own', false])
    await api.PersonalAccessTokens.remove({ tokenId: rotated.id })
    expect((await api.PersonalAccessTokens.all({ revoked: true, search: 'own' })).length).toBe(2)
  },
)
