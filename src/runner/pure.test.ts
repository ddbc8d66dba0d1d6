/** Functions of the runner on texts and bytes, which need neither a server nor a process. */
import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expandReferences } from './job/variables.ts'
import { readPayload } from './protocol/payload.ts'
import { bashScript, userCommands } from './shell/script.ts'
import { quote } from './shell/text.ts'
import { openSlots } from './slots.ts'
import { openMasker } from './trace/masker.ts'

const masked = (secrets: string[], chunks: string[]) => {
  const masker = openMasker(secrets)
  return Buffer.concat([...chunks.map((chunk) => masker.add(Buffer.from(chunk))), masker.end()]).toString()
}

test('a secret is masked however it is cut, the longest of several as a whole', () => {
  expect(masked(['secret'], ['a sec', 'ret b'])).toBe('a [MASKED] b')
  expect(masked(['secret'], ['s', 'e', 'c', 'r', 'e', 't', 's', 'e'])).toBe('[MASKED]se')
  expect(masked(['abcd', 'abcdef'], ['abcd', 'ef abcd'])).toBe('[MASKED] [MASKED]')
  expect(masked(['xabc', 'abcq'], ['xabc', 'q abcq'])).toBe('[MASKED]q [MASKED]')
  expect(masked(['pässwörd$.*'], ['<pässwörd$.*>'])).toBe('<[MASKED]>')
  expect(masked(['abc', ''], ['abc'])).toBe('abc')
})

test('no secret gets through, and nothing else changes, for any text in any pieces', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 })
  const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 7 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.array(secret, { minLength: 1, maxLength: 3 }), (chunks, secrets) => {
      const result = masked(secrets, chunks)
      for (const known of secrets) expect(result.replaceAll('[MASKED]', '|')).not.toContain(known)
      expect(masked(secrets, [chunks.join('')])).toBe(result)
    }),
  )
})

test('references are expanded once, as the protocol has it', () => {
  const values: Record<string, string> = { A: 'x$B', B: 'y' }
  const expand = (text: string) => expandReferences(text, (key) => values[key] ?? '')
  expect(expand(['$A $', '{B} $$B $C. 5$ $', '{} $1x'].join(''))).toBe('x$B y $B . 5$  x')
})

test('any text is one word of bash', () => {
  expect(quote(`it's $(x) "y"`)).toBe(`'it'\\''s $(x) "y"'`)
  const script = bashScript(
    [
      { key: 'A B', value: '' },
      { key: 'UID', value: '0' },
      { key: 'GOOD', value: "a'b" },
    ],
    userCommands(['  ', 'one']),
  )
  expect(script).not.toContain('export A B')
  expect(script).not.toContain('export UID')
  expect(script).toContain('export GOOD=')
})

test('a payload without what this runner needs is refused, any other is read', () => {
  expect(() => readPayload('{}')).toThrow('without id or token')
  fc.assert(
    fc.property(fc.object(), (fields) => {
      expect(readPayload(JSON.stringify({ ...fields, id: 1, token: 't' }))).toMatchObject({ id: 1, token: 't' })
    }),
  )
})

test('no more numbers than allowed are taken at once, of each project the lowest', async () => {
  const slots = openSlots(2)
  const { signal } = new AbortController()
  expect([await slots.take(signal), await slots.take(signal)]).toEqual([0, 1])
  const third = slots.take(signal)
  slots.free(0)
  expect(await third).toBe(0)
  expect(await slots.take(AbortSignal.abort())).toBeNull()
  expect([slots.takeOf('a'), slots.takeOf('a'), slots.takeOf('b')]).toEqual([0, 1, 0])
  slots.freeOf('a', 0)
  expect(slots.takeOf('a')).toBe(0)
})

test('waiting for a free slot leaves nothing behind at the signal that ends the waiting', async () => {
  const slots = openSlots(1)
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const first = await slots.take(signal)
  for (let count = 0; count < 20; count += 1) {
    const next = slots.take(signal)
    expect(listeners()).toBe(1)
    slots.free(first ?? 0)
    expect([await next, listeners()]).toEqual([0, 0])
  }
})
