/** A presenter builds one object literal: objects spread into each other cost three times as much (bench, lists of projects). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const features = fileURLToPath(new URL('../../src/features', import.meta.url))

/** The spread of an object stands after the bracket that opens a literal, or after a comma on a line of its own. */
const spread = /\{\s*\.\.\.|,\n\s*\.\.\./

test('no presenter spreads an object into another', () => {
  const presenters = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.present.ts'))
  const spreading = presenters.filter((file) => spread.test(readFileSync(join(features, file), 'utf8')))
  expect(presenters.length).toBeGreaterThan(5)
  expect(spreading, 'write the fields out').toEqual([])
})
