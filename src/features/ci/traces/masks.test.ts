import { expect, test } from 'vitest'
import { heldBack, hideMasked, reachOf } from './masks.ts'

const bytes = (text: string) => Buffer.from(text)
const masks = ['secret-1', 'aab', 'abc'].map(bytes)

test('values are hidden by as many x, wherever they are and however they overlap', () => {
  expect(hideMasked(bytes('a secret-1, secret-1.'), masks).toString()).toBe('a xxxxxxxx, xxxxxxxx.')
  expect(hideMasked(bytes('aabc'), masks).toString()).toBe('xxxx')
  expect(hideMasked(bytes('aaaab'), [bytes('aa')]).toString()).toBe('xxxxb')
  const plain = bytes('nothing')
  expect(hideMasked(plain, masks)).toBe(plain)
  expect(hideMasked(bytes('pässwörd'), [bytes('sswörd')]).toString()).toBe('päxxxxxxx')
})

test('a possible beginning of a masked value is held back, and nothing else', () => {
  expect(heldBack(bytes('so secret-'), masks)).toBe(7)
  expect(heldBack(bytes('so aa'), masks)).toBe(2)
  expect(heldBack(bytes('so aab'), masks)).toBe(2)
  expect(heldBack(bytes('so secret-1'), masks)).toBe(0)
  expect(heldBack(bytes('s'), masks)).toBe(1)
  expect(heldBack(bytes(''), masks)).toBe(0)
  expect(reachOf(masks)).toBe(7)
  expect(reachOf([])).toBe(0)
})
