/** `npm run where` finds what answers an address: every endpoint and every page, in a line that says its method or its path. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/features/index.ts'
import { pages } from '../../src/pages/index.ts'
import { allDeclared, declarationsOf } from '../../tools/where.mjs'
import { inFullRun } from '../support/run/tiers.ts'

test('every endpoint and page has a line of a file', async () => {
  const found = new Set((await allDeclared()).map(({ signature }) => signature))
  const all = [
    ...endpoints.map(({ method, path }) => `${method} ${path}`),
    ...pages.map(({ method, pattern }) => `${method} ${pattern.text}`),
  ]
  const unfound = all.filter((signature) => !found.has(signature))
  expect(unfound, 'write its path as one literal, or teach tools/where.mjs its family').toEqual([])
})

test.each([
  ['GET /projects/:id/issues/:iid', '/:issue_iid'],
  ['GET /api/v4/projects/:id/merge_requests/:iid', '/:merge_request_iid'],
  ['GET /:project/tree/*', '/:project/tree/*'],
  ['POST /:project/git-receive-pack', 'git-receive-pack'],
])('%s is found in a line that says so', async (wanted, said) => {
  const [found] = await declarationsOf(wanted)
  const lines = readFileSync(fileURLToPath(new URL(`../../${found?.file}`, import.meta.url)), 'utf8').split('\n')
  expect(lines[(found?.line ?? 0) - 1]).toContain(said)
})

test(
  'the command prints file and line',
  inFullRun('8 s of processor: it loads all endpoints anew. The others test what it looks up'),
  () => {
    const script = fileURLToPath(new URL('../../tools/where.mjs', import.meta.url))
    const { stdout, status } = spawnSync(process.execPath, [script, 'GET /projects/:id/issues/:iid'], { encoding: 'utf8' })
    expect([status, /src\/features\/\S+\.endpoints\.ts:\d+ /.test(stdout)]).toEqual([0, true])
  },
)

test.each([
  ['GET /projects/:id/issues/:iid', 'src/features/planning/issues/'],
  ['GET /projects/:id/merge_requests/:iid', 'src/features/review/merge-requests/'],
])('%s is declared in the folder of what it reads', async (wanted, folder) => {
  expect((await declarationsOf(wanted)).map(({ file }) => file)).toEqual([expect.stringContaining(folder)])
})

test('what nothing declares is not found', async () => {
  expect(await declarationsOf('GET /projects/:id/nothing')).toEqual([])
})
