/** Texts of messages can be read on their ground, whatever colours were chosen. */
import { expect, test } from 'vitest'
import { contrast, readableOn } from './contrast.ts'

test('contrast is that of the accessibility guidelines', () => {
  const rounded = (one: string, other: string) => Math.round(contrast(one, other) * 100) / 100
  expect([rounded('#000', '#fff'), rounded('#FFFFFF', '#767676'), rounded('#abc', '#aabbcc')]).toEqual([21, 4.54, 1])
})

test('a colour that can be read is kept, and another becomes black or white', () => {
  expect(readableOn('#000080', '#FFFFFF')).toBe('#FFFFFF')
  expect(readableOn('#e75e40', '#ffffff')).toBe('#000000')
  expect(readableOn('#300', '#400')).toBe('#ffffff')
  for (let shade = 0; shade < 256; shade += 1) {
    const ground = `#${shade.toString(16).padStart(2, '0').repeat(3)}`
    expect(contrast(ground, readableOn(ground, ground))).toBeGreaterThan(4.5)
  }
})
