/** Ends of texts. */
import { expect, test } from 'vitest'
import { withoutTrailing } from './trailing.ts'

test('only what is at the end is left out', () => {
  expect(['a//', '//a', '/', '', 'a/./', '//a//b'].map((text) => withoutTrailing(text, '/.'))).toEqual(['a', '//a', '', '', 'a', '//a//b'])
})
