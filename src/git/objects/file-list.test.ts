/** The paths of a commit are bounded in number and in characters. */
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { listFiles } from './file-list.ts'

test('a list of files ends where its characters do, as paths of a deep folder are long', async () => {
  const forge = await testForge()
  const folder = Array(8).fill('x'.repeat(100)).join('/')
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${folder}/${index}.txt`, '']))
  const project = await forge.project({ commits: [{ message: 'Deep', files }] })
  const repo = forge.app.git.open(project.id)
  const commit = await git(project.dir, 'rev-parse', 'main')

  const all = await listFiles(repo, commit, { query: '', limit: 100 })
  const some = await listFiles(repo, commit, { query: '', limit: 100, max_chars: 5_000 })
  const found = await listFiles(repo, commit, { query: 'xtxt', limit: 100, max_chars: 5_000 })

  expect([all.length, some.length, found.length]).toEqual([20, 7, 7])
})
