/** The full run refuses SQL texts of the gate that never meet PostgreSQL, and no others. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unmet, unmetIn } from '../../tools/unmet-statements.mjs'

const ran = (engine: 'sqlite' | 'postgres', name: string, statements: string[], in_full_run = false) => ({
  engine,
  file: 'src/a.test.ts',
  name,
  in_full_run,
  statements,
})

test('a text is refused that only tests without PostgreSQL run, with one of them', () => {
  expect(unmet([ran('sqlite', 'one', ['a', 'b']), ran('sqlite', 'two', ['b']), ran('postgres', 'two', ['b'])])).toEqual([
    { hash: 'a', test: 'src/a.test.ts › one' },
  ])
})

test('one is met that another test brings there, that is written otherwise there, or that the gate does not run', () => {
  const another = [ran('sqlite', 'one', ['a']), ran('postgres', 'two', ['a'])]
  const otherwise = [ran('sqlite', 'one', ['a']), ran('postgres', 'one', ['of postgres'])]
  const fullRun = [ran('sqlite', 'one', ['a'], true)]

  expect([another, otherwise, fullRun].map(unmet)).toEqual([[], [], []])
})

test('the line of a record says which test it is, and the text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-record-'))
  const record = join(folder, 'statements')
  await writeFile(record, `${JSON.stringify(ran('sqlite', 'one', ['a']))}\n`)
  await writeFile(`${record}.texts`, `${JSON.stringify(['a', 'select "id" from "users"'])}\n`)

  expect(unmetIn(record)).toEqual(['src/a.test.ts › one runs on SQLite what never meets PostgreSQL: select "id" from "users"'])
  await rm(folder, { recursive: true })
})
