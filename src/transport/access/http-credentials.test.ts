/** Names and secrets that git over HTTP accepts, by the settings of the instance. */
import { afterEach, expect, test } from 'vitest'
import { type TestProject, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'

const password = 'correct-horse-battery'

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

/** Git's own answer to a name and a secret. */
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

test('too many wrong passwords get 429; right ones don’t count; wrong ones elsewhere refuse nobody', async () => {
  const forge = await testForge()
  const user = await forge.user({ password })
  const project = await forge.project({ owner: user })
  const ask = async (secret: string, from: string, login = user.username) => {
    const authorization = `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`
    const url = `//${project.full_path}.git/info/refs?service=git-upload-pack`
    return forge.anonymous.get(url, { headers: { authorization, 'x-forwarded-for': from } })
  }
  for (let guess = 0; guess < 10; guess += 1) expect((await ask(`wrong ${guess}`, '192.0.2.10', `nobody${guess}`)).status).toBe(401)
  const refused = await ask('wrong again', '192.0.2.10')
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
  expect((await ask(password, '192.0.2.10')).status).toBe(429)
  const right = await Promise.all(Array.from({ length: 15 }, () => ask(password, '192.0.2.1')))
  expect(right.map(({ status }) => status)).toEqual(Array(15).fill(200))
  // A secret that was right a moment ago is remembered, so the limit on guesses doesn't apply to it.
  expect((await ask(password, '192.0.2.10')).status).toBe(200)
})
