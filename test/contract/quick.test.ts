/** `npm run test:quick` runs what may see a change. */
import { expect, test } from 'vitest'
import { selectionOf } from '../../tools/quick.mjs'
import { inFullRun } from '../support/run/tiers.ts'

const tags = 'src/features/repository/tags/tags.endpoints.ts'

test('a new endpoint with a new function of git, listed in the table of contents, is asked by every law', () => {
  const { files, endpoints } = selectionOf({ changed: [tags, 'src/features/index.ts'], added: ['src/git/history/new.ts'] })

  expect(endpoints).toEqual([tags])
  expect(files).toEqual(
    expect.arrayContaining(['src/features/repository/tags/tags.test.ts', 'test/contract/replies', 'test/contract/matrix']),
  )
})

test('a change of what every endpoint uses is shown by the laws that ask all endpoints once', () => {
  const { files, endpoints, isWider } = selectionOf({ changed: [tags, 'src/http/reply/page.ts'], added: [] })

  expect([endpoints, isWider]).toEqual([null, true])
  expect(files).toEqual(expect.arrayContaining(['test/contract/replies', 'test/contract/matrix/table']))
  expect(files).not.toContain('test/contract/hostile')
})

test(
  'a change of a page is shown by the laws of pages, one of the documentation by those that read it',
  inFullRun('Half a second of processor. A new endpoint is asked by every law, above.'),
  () => {
    expect(selectionOf({ changed: ['src/pages/frame/mount.ts'], added: [] }).files).toContain('test/contract/page-addresses')
    expect(selectionOf({ changed: ['docs/api.md'], added: [] }).files).toContain('test/contract/docs')
    expect(selectionOf({ changed: ['deploy/Caddyfile'], added: [] }).files).toEqual([])
  },
)

test(
  'tests of what imports a change are run, nearest first, and what a minute has no room for is told',
  inFullRun('Half a second of processor. A change of what every endpoint uses is shown above.'),
  () => {
    const { files, leftOut } = selectionOf({ changed: ['src/features/planning/labels/labels.service.ts'], added: [] })

    expect(files).toContain('src/features/commands/issue-moves/issue-moves.test.ts')
    expect(files.indexOf('src/features/planning/labels/labels.test.ts')).toBeLessThan(
      files.indexOf('src/features/commands/issue-moves/issue-moves.test.ts'),
    )
    expect(leftOut.length).toBeGreaterThan(10)
    expect(leftOut.filter((file) => files.includes(file))).toEqual([])
    // Endpoints are imported by the table of their feature alone.
    expect(selectionOf({ changed: [tags], added: [] }).leftOut).toEqual([])
  },
)
