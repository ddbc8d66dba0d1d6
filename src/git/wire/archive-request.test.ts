import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { argumentsIn, readArchiveRequest } from './archive-request.ts'

const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
const request = (...args: string[]) => `${args.map((arg) => packet(`argument ${arg}\n`)).join('')}0000`

test('the arguments end with the flush packet, however they are cut on their way', () => {
  const whole = request('--format=tar', 'main', 'a path')
  expect(argumentsIn(Buffer.from(whole))).toEqual(['--format=tar', 'main', 'a path'])
  for (let size = 0; size < whole.length; size += 1) expect(argumentsIn(Buffer.from(whole.slice(0, size)))).toBe(null)
  expect(argumentsIn(Buffer.from('0000'))).toEqual([])
})

test('a malformed request is rejected', () => {
  const wrong = ['zzzz', '0001', '0004', packet('want main'), packet('argument a\nb'), request(...Array.from({ length: 65 }, () => 'x'))]
  for (const body of wrong) expect(() => argumentsIn(Buffer.from(body))).toThrow('not one of git archive')
})

test('a request is read whole, and nothing after it is waited for; an option may be a name', async () => {
  const input = new PassThrough()
  const reading = readArchiveRequest(input)
  const text = request('main', '-x')
  input.write(text.slice(0, 10))
  await new Promise((resolve) => setImmediate(resolve))
  input.write(text.slice(10))
  expect(await reading).toEqual({ body: Buffer.from(text), names: ['main', 'refs/heads/-x', 'refs/tags/-x'] })
  expect(input.destroyed).toBe(false)
})

test('a client that leaves or ends early is not waited for', async () => {
  const gone = new AbortController()
  const left = readArchiveRequest(new PassThrough(), gone.signal)
  gone.abort()
  await expect(left).rejects.toThrow()
  const short = new PassThrough()
  short.end('0010argu')
  await expect(readArchiveRequest(short)).rejects.toThrow('not a complete one')
  await expect(readArchiveRequest(new PassThrough(), gone.signal)).rejects.toThrow()
})
