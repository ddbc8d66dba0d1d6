/** The style sheet and the scripts stay small, measured as browsers load them: compressed. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../dist/web', import.meta.url))
const KB = 1024

/** Each with what it may hold, together. */
const budgets = [
  ['the style sheet', /^style-\w+\.css\.br$/, 12 * KB],
  ['the script of every page', /^main-\w+\.js\.br$/, 8 * KB],
  ['what draws diagrams, where one is', /^diagram-frame-\w+\.js\.br$/, 620 * KB],
  ['the editor', /^editor-\w+\.js\.br$/, 130 * KB],
] as const

test.each(budgets)('%s stays within its budget', (_, pattern, max_bytes) => {
  const sizes = readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => statSync(join(folder, name)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(max_bytes)
})
