/** The page of Terraform states: a lock is taken from a client that has died, and a state deleted, without script. */
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'

test('who manages the project unlocks and deletes a state; developers look at it', async () => {
  const forge = await testForge()
  const [maintainer, developer] = [await forge.user({ password, name: 'Ada' }), await forge.user({ password })]
  const project = await forge.project({ maintainer, developer, files: null })
  const at = `/${project.full_path}/-/terraform`
  const api = `/projects/${project.id}/terraform/state/a%2Fb`
  const octets = { headers: { 'content-type': 'application/json' } }
  await forge.as(maintainer).post(api, '{"serial":7}', octets)
  await forge.as(maintainer).post(`${api}/lock`, { ID: 'dead' })
  const signedIn = async ({ username }: { username: string }) => {
    const me = browserOf(forge.server)
    await me.submit('/users/sign_in', '/users/sign_in', { login: username, password })
    return me
  }
  const me = await signedIn(maintainer)
  const page = await me.get(at)
  expect(readDocument(page.text).faults).toEqual([])
  expect(page.text).toContain('Version 7')
  expect(page.text).toContain('Locked by')
  const them = await signedIn(developer)
  expect((await them.get(at)).text).not.toContain('/unlock"')

  expect((await me.submit(at, `${at}/a%2Fb/unlock`)).status).toBe(303)
  expect((await forge.as(maintainer).post(`${api}/lock`, { ID: 'alive' })).status).toBe(200)
  expect((await me.submit(at, `${at}/a%2Fb/unlock`)).status).toBe(303)
  expect((await me.submit(at, `${at}/a%2Fb/delete`)).status).toBe(303)
  expect((await forge.as(maintainer).get(api)).status).toBe(404)
})
