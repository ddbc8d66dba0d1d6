/** Code is readable on everything it stands on: each colour of highlighted code, on each ground, light and dark, as WCAG AA has it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../src/web/styles', import.meta.url))
const css = readdirSync(folder)
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n')
const minContrast = 4.5

type Pair = readonly [name: string, light: string, dark: string]

/** Finds colours in the style sheet by a pattern with three groups: a name and two colours. */
const pairs = (pattern: RegExp): Pair[] => [...css.matchAll(pattern)].map(([, name = '', light = '', dark = '']) => [name, light, dark])

const colour = String.raw`light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`
// High contrast has its colours declared twice: for users who chose it, and for browsers that ask for it.
const inks = pairs(new RegExp(`(--code-[a-z]+|--text): ${colour}`, 'g'))
const grounds = [
  ...pairs(new RegExp(`(--(?:ground|raised|added|removed|target)): ${colour}`, 'g')),
  ...pairs(new RegExp(String.raw`(\.[ad] mark) \{\s*background: ${colour}`, 'g')),
]

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

test('every colour of code has a contrast of 4.5 on every ground', () => {
  expect([inks.length, grounds.length]).toEqual([10, 17])
  const weak = inks.flatMap(([ink, ...inkColours]) =>
    grounds.flatMap(([ground, ...groundColours]) =>
      inkColours.flatMap((value, index) => {
        const found = contrast(value, groundColours[index] as string)
        return found < minContrast ? [[ink, ground, index === 0 ? 'light' : 'dark', found.toFixed(2)]] : []
      }),
    ),
  )
  expect(weak).toEqual([])
})
