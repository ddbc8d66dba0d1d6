/** A class is styled by one family of pages: the style sheet is one for all, and two families that choose the same name would change each other. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../src/web/styles', import.meta.url))
/** Parts of all pages, which a family may add to. */
const common = /^(base|frame|forms|lists|files|diff)\.css$/

/** The classes that a file styles wherever they stand: `.name {`, and not `.other .name {`. */
function classesOf(file: string): Set<string> {
  const rules = readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}\.([\w-]+)(?=[ ,:.>{])/gm)
  return new Set([...rules].map(([, name = '']) => name))
}

test('no two families of pages style the same class', () => {
  const files = readdirSync(folder)
  const shared = new Set(files.filter((file) => common.test(file)).flatMap((file) => [...classesOf(file)]))
  const owners = new Map<string, string[]>()
  for (const file of files.filter((name) => !common.test(name))) {
    for (const name of classesOf(file)) if (!shared.has(name)) owners.set(name, [...(owners.get(name) ?? []), file])
  }
  const twice = [...owners].filter(([, owning]) => owning.length > 1)
  expect(twice, 'rename the class in one of these files, or move it to a common one').toEqual([])
  expect(owners.size).toBeGreaterThan(20)
})
