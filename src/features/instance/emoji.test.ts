import { expect, test } from 'vitest'
import { findEmoji, renderEmoji } from './emoji.ts'

const namesOf = (text: string, limit = 8) => findEmoji(text, limit).map(({ name }) => name)

test('emoji are found by the beginning of their names first, then by a part of them, then by what they show', () => {
  expect(namesOf('tada')).toEqual(['tada'])
  expect(namesOf('rocket')[0]).toBe('rocket')
  expect(namesOf('heart', 48).indexOf('heart')).toBeLessThan(namesOf('heart', 48).indexOf('sparkling_heart'))
  expect(namesOf('launch')).toContain('rocket')
})

test('each is found once, at most as many as wanted, and nothing for strange texts', () => {
  const found = namesOf('s', 48)
  expect([found.length, new Set(found).size]).toEqual([48, 48])
  expect(['__proto__', 'constructor', '<b>', '()'].map((text) => namesOf(text))).toEqual([[], [], [], []])
})

test('names of awards and skin tones are shown as emoji, and an emoji of several parts stays whole', () => {
  expect(renderEmoji(':slight_smile: :wave_tone3: :no_such:')).toBe(
    '<span title="slightly smiling face" data-name="slight_smile">🙂</span> <span title="wave_tone3" data-name="wave_tone3">👋🏽</span> :no_such:',
  )
  expect(renderEmoji('a👋🏽b👩🏽‍⚕️c👋')).toBe('a👋🏽b👩🏽‍⚕️c<span title="waving hand" data-name="wave">👋</span>')
})
