/** What git over HTTP takes for a name, by the settings of the instance. */
import { afterEach, expect, test } from 'vitest'
import { type TestProject, testForge } from '../../test/support/forge.ts'
import { git } from '../../test/support/git.ts'
import { writeSettings } from '../features/settings/settings.service.ts'

const password = 'correct-horse-battery'

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

/** What git says to a name and a secret. */
async function refs({ full_path }: TestProject, login: string, secret: string): Promise<string> {
  const forge = await testForge()
  const remote = `${(await forge.url()).replace('://', `://${login}:${secret}@`)}/${full_path}.git`
  return git(await forge.folder(), 'ls-remote', remote).then(
    () => 'served',
    (error: { stderr?: string }) => String(error.stderr ?? error),
  )
}

test('where passwords are not taken for git, git says so to its user, and tokens open as ever', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const project = await forge.project({ owner: user })
  expect(await refs(project, user.username, password)).toBe('served')
  await writeSettings(forge.app.db, { password_authentication_enabled_for_git: false })
  for (const secret of [password, 'wrong'])
    expect(await refs(project, user.username, secret)).toContain('use a personal access token in the place of yours')
  expect(await refs(project, user.username, user.token)).toBe('served')
  await writeSettings(forge.app.db, { password_authentication_enabled_for_git: true })
  expect(await refs(project, user.username, password)).toBe('served')
})

test('a password somebody else chose opens nothing to git, and git says why', async () => {
  const forge = await testForge()
  const user = await forge.user({ password: 'first password' })
  const project = await forge.project({ owner: user })
  await forge.as(forge.root).put(`/users/${user.id}`, { password })
  expect(await refs(project, user.username, password)).toContain('Your password has expired.')
  expect(await refs(project, user.username, user.token)).toBe('served')
})

test('who guesses too often is told so, and right passwords are no guesses', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const project = await forge.project({ owner: user })
  const ask = async (secret: string, from: string) => {
    const authorization = `Basic ${Buffer.from(`${user.username}:${secret}`).toString('base64')}`
    const url = `//${project.full_path}.git/info/refs?service=git-upload-pack`
    return (await forge.anonymous.get(url, { headers: { authorization, 'x-forwarded-for': from } })).status
  }
  const right = await Promise.all(Array.from({ length: 15 }, () => ask(password, '192.0.2.1')))
  expect(right).toEqual(Array(15).fill(200))
  const wrong = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(`wrong ${index}`, `192.0.2.${index + 10}`)))
  expect(wrong.toSorted()).toEqual([...Array(10).fill(401), 429, 429])
  // What was right a moment ago is known to be, and needs no look.
  expect([await ask(password, '192.0.2.99'), await ask('wrong again', '192.0.2.98')]).toEqual([200, 429])
})
