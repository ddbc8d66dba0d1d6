import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { matcherOfScope } from '../../../ci/text/environment-scopes.ts'
import { insertVariable, type VariablePlace } from './variables.queries.ts'
import { loadStoredVariables } from './variables.ts'

test('the nearer place wins, then the narrower scope; protected variables are for protected refs', async () => {
  const forge = await testForge()
  const top = await forge.group()
  const below = await forge.group({ parent: top })
  const project = await forge.project({ group: below })
  const other = await forge.project()
  const add = (place: VariablePlace, key: string, value: string, more: { environment_scope?: string; protected?: boolean } = {}) =>
    insertVariable(forge.app.db, place, {
      key,
      value: forge.app.secrets.seal(value, 'ci_variables.value'),
      project_id: null,
      namespace_id: null,
      description: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      ...more,
    })
  await add({ project_id: project.id }, 'A', 'project, review', { environment_scope: 'review/*' })
  await add({ project_id: project.id }, 'A', 'project')
  await add({ project_id: project.id }, 'A', 'project, review/1', { environment_scope: 'review/1' })
  await add({ namespace_id: below.id }, 'A', 'below, review/1', { environment_scope: 'review/1' })
  await add({ namespace_id: below.id }, 'B', 'below')
  await add({ namespace_id: top.id }, 'B', 'top')
  await add({ namespace_id: top.id }, 'C', 'top')
  await add('instance', 'C', 'instance')
  await add('instance', 'D', 'instance', { protected: true })
  await add({ project_id: other.id }, 'E', 'of another project')

  const at = { project: { id: project.id, namespace_id: below.id } }
  const open = await loadStoredVariables(forge.app.db, forge.app.secrets, { ...at, protected: false })
  const all = await loadStoredVariables(forge.app.db, forge.app.secrets, { ...at, protected: true })
  const shown = (variables: { key: string; value: string }[]) => variables.map(({ key, value }) => `${key}=${value}`)

  expect(shown(open(null))).toEqual(['C=top', 'B=below', 'A=project'])
  expect(shown(open('review/1'))).toEqual(['C=top', 'B=below', 'A=project, review/1'])
  expect(shown(open('review/2'))).toEqual(['C=top', 'B=below', 'A=project, review'])
  expect(shown(all('production'))).toEqual(['D=instance', 'C=top', 'B=below', 'A=project'])
})

test('a star in a scope stands for any characters', () => {
  const covers = (scope: string, environment: string | null) => matcherOfScope(scope)(environment)

  expect(covers('*', null)).toBe(true)
  expect(covers('production', null)).toBe(false)
  expect(covers('review/*', 'review/')).toBe(true)
  expect(covers('review/*/eu', 'review/a/eu')).toBe(true)
  expect(covers('ab*ba', 'aba')).toBe(false)
  expect(covers('*a*b*', 'xbxa')).toBe(false)
  expect(covers('*a*b*', 'xaxb')).toBe(true)
  expect(covers('review.*', 'review/x')).toBe(false)
  expect(covers('*a'.repeat(100), 'b'.repeat(10_000))).toBe(false)
})
