/** The changes of a merge request as text: byte for byte what git writes, and taken by `git am`. */
import { expect, test } from 'vitest'
import { gitBytes, workTree } from '../../../../test/scripts/git/wire.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'

test('`git am` takes the patches of a merge request, and the diff is that of git', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer, visibility: 'public' })
  const send = (start_branch: string | undefined, file_path: string, content: string) =>
    forge.as(developer).post(`/projects/${project.id}/repository/commits`, {
      branch: 'side',
      ...(start_branch && { start_branch }),
      commit_message: `Add ${file_path}`,
      actions: [{ action: 'create', file_path, content, encoding: 'base64' }],
    })
  const latin = Buffer.from('gr\xfc\xdfe\r\nno end', 'latin1').toString('base64')
  await send('main', 'latin.txt', latin)
  await send(undefined, 'docs/ü.txt', Buffer.from('two\n').toString('base64'))
  const sent = { source_branch: 'side', target_branch: 'main', title: 'Side' }
  const { body: request } = await forge.as(developer).post(`/projects/${project.id}/merge_requests`, sent)
  const at = `//${project.full_path}/merge_requests/${request.iid}`

  const [diff, patch] = await Promise.all([forge.anonymous.get(`${at}.diff`), forge.anonymous.get(`${at}.patch`)])
  expect([diff.status, diff.headers['content-type'], patch.status]).toEqual([200, 'text/plain; charset=utf-8', 200])
  const base = await git(project.dir, 'merge-base', 'main', 'side')
  expect(diff.bytes).toEqual(await gitBytes(project.dir, ['diff-tree', '-p', '-M', base, 'side']))

  const dir = await workTree({ other: 'x' })
  await gitReading(dir, patch.bytes, 'am', '--quiet', '--keep-cr')
  expect(await git(dir, 'log', '--format=%s', '-2')).toBe('Add docs/ü.txt\nAdd latin.txt')
  expect(await git(dir, 'hash-object', 'latin.txt')).toBe(await git(project.dir, 'rev-parse', 'side:latin.txt'))
})

test('both views have the names that links from elsewhere give them, and a branch may have many parts', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer, visibility: 'public' })
  const branch = 'a/b/c/d/e/f/g/h/i/j/k/l'
  const actions = [{ action: 'create', file_path: 'new.txt', content: 'x' }]
  const fields = { branch, start_branch: 'main', commit_message: 'Add', actions }
  const { body: made } = await forge.as(developer).post(`/projects/${project.id}/repository/commits`, fields)
  const shown = async (view: string) => (await forge.anonymous.get(`//${project.full_path}/commit/${made.id}?view=${view}`)).text
  for (const [view, look] of Object.entries({ inline: 'u', unified: 'u', parallel: 's', split: 's' }))
    expect([view, await shown(view)]).toEqual([view, expect.stringContaining(`class="diff ${look}"`)])
  const tree = await forge.anonymous.get(`//${project.full_path}/blob/${branch}/new.txt`)
  expect([tree.status, tree.text.includes('new.txt')]).toEqual([200, true])
})

test('what is no merge request has no text, and that of others is not told', async () => {
  const forge = await testForge()
  const [open, hidden] = [await forge.project({ visibility: 'public' }), await forge.project()]
  const statusOf = async (address: string) => (await forge.anonymous.get(`//${address}`)).status
  for (const ending of ['1.diff', '1.patch', '1.html', '1.diff.patch', '0', 'x', '99999999999999999999'])
    expect([ending, await statusOf(`${open.full_path}/merge_requests/${ending}`)]).toEqual([ending, 404])
  expect(await statusOf(`${hidden.full_path}/merge_requests/1.diff`)).toBe(await statusOf('no/such/merge_requests/1.diff'))
})
