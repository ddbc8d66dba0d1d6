/** No regular expression of the server takes quadratic time for a text that somebody else wrote. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourcesOf } from '../../tools/files.mjs'

/** An expression that is a repetition until the end: it is tried anew from each character. `withoutTrailing` takes linear time. */
const untilTheEnd = /(?<=[(,=\s])\/(?:[^/\n]*\|)?(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\[\n/^*(])[+*]\$\/[dgimsuvy]*/g

/** With the reason why it takes linear time nevertheless. */
const allowed: Record<string, string> = {
  'src/access/ssh-keys.ts': 'A digest.',
  'src/config.values.ts': 'Written by whoever runs the server.',
  'src/features/ci/agents/variables.ts': 'Of 63 characters.',
  'src/features/ci/predefined/predefined.ts': 'Of 63 characters.',
  'src/features/review/diff-notes/suggestions.ts': 'Matches the whole last line.',
  'src/runner/': 'Not of the server.',
  'src/text/line-breaks.ts': 'Matches the whole last line.',
}

test('none is a repetition until the end of the text', () => {
  const found = sourcesOf('.')
    .filter((file) => !Object.keys(allowed).some((place) => file.startsWith(place)))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(untilTheEnd)].map(([expression]) => `${file} ${expression}`))
  expect(found, 'use `withoutTrailing` (src/text/trailing.ts), or give a reason in `allowed` of this file').toEqual([])
})
