/** Names of emoji: which there are, and which one of several is kept. */
import { expect, test } from 'vitest'
import { emojiName, emojiOf, onlyEmojiIn } from './emoji-names.ts'

test.each([
  ['+1', 'thumbsup'],
  ['thumbsup', 'thumbsup'],
  [':-1:', 'thumbsdown'],
  ['satisfied', 'laughing'],
  ['slightly_smiling_face', 'slight_smile'],
  ['us', 'flag_us'],
  ['flag_ca', 'flag_ca'],
  ['thumbsup_tone3', 'thumbsup_tone3'],
  ['+1_tone3', 'thumbsup_tone3'],
  ['8ball', '8ball'],
  ['nothing_like_it', null],
  ['flag_xx', null],
  ['8ball_tone1', null],
  ['wave_tone1_tone2', null],
  ['couple_ww_tone1', null],
  ['', null],
  ['constructor', null],
  ['__proto__', null],
])('%s is kept as %s', (sent, kept) => {
  expect(emojiName(sent)).toBe(kept)
})

test('the emoji itself is found by each name', () => {
  expect(['thumbsup', '+1', 'flag_ca', 'wave_tone2', 'nothing'].map(emojiOf)).toEqual(['👍', '👍', '🇨🇦', '👋🏼', null])
})

test('a text that is one emoji is told from any other', () => {
  expect([':+1:', ' 🎉 ', ':tada: :tada:', 'so :tada:', '::', ''].map(onlyEmojiIn)).toEqual(['thumbsup', 'tada', null, null, null, null])
})
