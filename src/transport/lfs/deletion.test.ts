/** A project that is deleted while people are at its large files. */
import { expect, test } from 'vitest'
import { lfsClient, uniqueFile } from '../../../test/support/fixtures/lfs.ts'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { testForge } from '../../../test/support/forge.ts'
import { addKey, callerBy } from '../../../test/support/ssh.ts'
import { authenticateLfs } from './authenticate.ts'

test('work in progress on a deleted project succeeds or ends with 404, and never creates the project again', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = lfsClient(forge, project, forge.root)
  const ways = [
    (index: number) => client.send('POST', 'locks', { path: `file${index}` }),
    () => client.put(uniqueFile().content),
    () => client.batch('upload', uniqueFile()),
    () => client.send('POST', 'locks/verify', {}),
  ]
  const many = (from: number) => Array.from({ length: 20 }, (_, index) => (ways[index % ways.length] as (typeof ways)[0])(from + index))
  const before = many(0)
  const deletion = forge.as(forge.root).delete(`/projects/${project.id}`)
  const answers = await Promise.all([...before, ...many(20)])
  expect((await deletion).status).toBe(202)
  expect(answers.filter(({ status }) => ![200, 201, 404].includes(status)).map(({ text }) => text)).toEqual([])
  expect((await forge.as(forge.root).get(`/projects/${encodeURIComponent(project.full_path)}`)).status).toBe(404)
})

test('an LFS token is issued or the project is not found, and it is not created again', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { app, root } = forge
  const caller = await callerBy(await addKey(publicKey(), root))
  const ask = () => authenticateLfs(app, caller, project.full_path, 'upload')
  const asked = Array.from({ length: 20 }, () =>
    ask().then(
      () => 'a pass',
      ({ status }) => status,
    ),
  )
  const deletion = forge.as(root).delete(`/projects/${project.id}`)
  const answers = await Promise.all([...asked, deletion.then(ask).catch(({ status }) => status)])
  expect(answers.filter((answer) => answer !== 'a pass' && answer !== 404)).toEqual([])
  expect(answers.at(-1)).toBe(404)
  expect((await forge.as(root).get(`/projects/${encodeURIComponent(project.full_path)}`)).status).toBe(404)
})
