import { expect, test } from 'vitest'
import { tokenOf } from '../../../test/support/fixtures/runners.ts'
import { openForge, testForge } from '../../../test/support/forge.ts'
import { closeApp, openApp } from '../../app.ts'
import { digestOf } from '../tokens.ts'
import { sealRegistrationTokens } from './registration-tokens.ts'

test('a token that an earlier version stored as it is registers runners as before, is shown as before, and is sealed', async () => {
  const forge = await testForge()
  const { db, secrets } = forge.app
  const [maintainer, project, other] = [await forge.user(), await forge.project(), await forge.project()]
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: maintainer.id, access_level: 40 })
  const token = tokenOf(forge, project)
  const rowOf = ({ id }: { id: number }) =>
    db.selectFrom('projects').select(['runners_token', 'runners_token_digest']).where('id', '=', id).executeTakeFirstOrThrow()
  const before = await rowOf(other)
  await db.updateTable('projects').set({ runners_token: token, runners_token_digest: null }).where('id', '=', project.id).execute()

  await sealRegistrationTokens(db, secrets)

  const sealed = await rowOf(project)
  expect(JSON.stringify(sealed)).not.toContain(token)
  expect((await forge.anonymous.post('/runners', { token })).status).toBe(201)
  expect((await forge.anonymous.post('/runners', { token: sealed.runners_token })).status).toBe(403)
  expect((await forge.as(maintainer).get(`/projects/${project.id}`)).body.runners_token).toBe(token)
  await sealRegistrationTokens(db, secrets)
  expect([await rowOf(project), await rowOf(other)]).toEqual([sealed, before])
})

test('the start seals what it finds', async () => {
  const forge = await openForge()
  const { db, config } = forge.app
  const project = await forge.project({ files: null })
  const { id } = project
  const runners_token = tokenOf(forge, project)
  await db.updateTable('projects').set({ runners_token, runners_token_digest: null }).where('id', '=', id).execute()

  await closeApp(await openApp(config))

  const { runners_token_digest } = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(runners_token_digest).toBe(digestOf(runners_token))
})
