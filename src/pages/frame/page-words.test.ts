/** Words of our addresses are no names of spaces. */
import { expect, test } from 'vitest'
import { endpoints } from '../../features/index.ts'
import { pathError } from '../../features/namespaces/paths.ts'
import { pages } from '../index.ts'

const isTaken = (word: string) => /is a reserved name|Cannot start with/.test(pathError(word, 'namespace', null) ?? '')

test('the first word of every address of the service can be no user or group', () => {
  const ofPages = pages.map(({ pattern: { before, space, after } }) => (space === null ? after[0] : before[0]))
  const ofEndpoints = endpoints.filter(({ root }) => root === '').map(({ path }) => path.split('/')[1])
  const words = [...ofPages, ...ofEndpoints, 'api', 'assets', 'health_check', '-'].filter(
    (word): word is string => Boolean(word) && !word?.startsWith(':'),
  )
  expect(words.length).toBeGreaterThan(10)
  expect([...new Set(words)].filter((word) => !isTaken(word))).toEqual([])
})

test('pages of groups and users stand behind a dash or before the path, so that no project or subgroup is hidden by one', () => {
  const after = pages.filter(({ pattern: { space, after } }) => (space === 'group' || space === 'user') && after.length > 0)
  expect(
    after.filter(({ pattern: { before, after } }) => before.length === 0 && after[0] !== '-').map(({ pattern }) => pattern.text),
  ).toEqual([])
})

test('a page of a project has a word after the path that is fixed: a project has nothing below it that it could hide', () => {
  const after = pages.filter(({ pattern: { space, after } }) => space === 'project' && after.length > 0)
  expect(after.filter(({ pattern }) => pattern.after[0]?.startsWith(':')).map(({ pattern }) => pattern.text)).toEqual([])
})
