/** Real git with the access token of an application: as the user who let it, with the scopes that they gave. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { anApplication, oauthToken } from '../../support/oauth.ts'

test('git clones and pushes as oauth2 with the token of an application, as far as its scopes go', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, visibility: 'private' })
  const application = await anApplication(forge)
  const folder = await forge.folder()
  const remoteBy = async (...scopes: Parameters<typeof oauthToken>[2]) => {
    const token = await oauthToken(forge, maintainer.id, scopes, application)
    return (await forge.remote(project)).replace('://', `://oauth2:${token}@`)
  }
  const clone = join(folder, 'clone')

  const refused = await tryGit(folder, 'clone', await remoteBy('read_user'), join(folder, 'refused'))
  expect(refused.stderr).toMatch(/403|not allowed|scope/i)
  await git(folder, 'clone', await remoteBy('read_repository'), clone)

  await git(clone, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--allow-empty', '-m', 'Say hello')
  expect((await tryGit(clone, 'push', 'origin', 'HEAD:topic')).stderr).toMatch(/403|not allowed|scope/i)
  await git(clone, 'push', await remoteBy('write_repository'), 'HEAD:topic')
  const { body } = await forge.as(maintainer).get(`/projects/${project.id}/events`)
  expect(body[0]).toMatchObject({ action_name: 'pushed new', author_username: maintainer.username })
})
