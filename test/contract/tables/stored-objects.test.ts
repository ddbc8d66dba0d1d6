/** Deleting a project frees all of its objects: a forgotten column of keys would leave files that nobody can reach. */
import { expect, test } from 'vitest'
import { keyColumn } from '../../../src/backup/objects.ts'
import { storedKeysOf } from '../../../src/features/spaces/projects/projects.queries.ts'
import { testForge } from '../../support/forge.ts'
import { columnsOf, nameOf, tablesOfProjects } from './schema.ts'

test('deleting a project asks every table of it for keys of the objects store', async () => {
  const { db } = (await testForge()).app
  const columns = await columnsOf(db)
  const ofProjects = tablesOfProjects(columns)
  const keys = columns.filter(({ table, name }) => keyColumn.test(name) && ofProjects.includes(table))
  const statements: string[] = []
  const asking = db.withPlugin({
    transformQuery: ({ node }) => {
      statements.push(JSON.stringify(node))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await storedKeysOf(asking, [1])
  const asked = keys.filter(
    ({ table, name }) => statements.join().includes(`"name":"${table}"`) && statements.join().includes(`"name":"${name}"`),
  )
  expect(keys.length).toBeGreaterThan(4)
  expect(asked.map(nameOf), 'ask for the column in `storedKeysOf` (projects.queries.ts)').toEqual(keys.map(nameOf))
})
