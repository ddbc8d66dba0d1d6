/** Errors are logged with all they tell, but for the credentials and signatures of addresses. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { measureComputing } from '../../test/support/run/cpu.ts'
import { Failure } from '../failure.ts'
import { openLog, withoutCredentials } from './log.ts'

test.each([
  [
    "fatal: unable to access 'https://ada:s3cret@b.example/x.git/': refused",
    "fatal: unable to access 'https://[redacted]@b.example/x.git/': refused",
  ],
  ['PUT https://b.example/put?X-Amz-Signature=s3cret&a=b failed', 'PUT https://b.example/put?[redacted] failed'],
  ['http://s3cret@[::1]:80/a#s3cret', 'http://[redacted]@[::1]:80/a?[redacted]'],
  ['http.extraHeader=Authorization: Basic czNjcmV0', 'http.extraHeader=Authorization: Basic [redacted]'],
  ['two: ftp://a:s3cret@b/ and ssh://git:s3cret@c/', 'two: ftp://[redacted]@b/ and ssh://[redacted]@c/'],
  ['What is a query? Mail ada@example.com.', 'What is a query? Mail ada@example.com.'],
])('%s', (text, written) => {
  expect(withoutCredentials(text)).toBe(written)
})

test('a text with many addresses is scanned in linear time', () => {
  const used_ms = measureComputing()
  withoutCredentials('a://'.repeat(100_000))
  expect(used_ms()).toBeLessThan(5_000)
})

test('errors in the log, and their causes, have no secrets', async () => {
  const file = join(await (await testForge()).folder(), 'log')
  const log = openLog({ level: 'info', file })
  const cause = new Error('git fetch ended with 128: https://ada:s3cret@b.example/x.git?token=s3cret')
  log.error({ err: new Failure('git_failed', 'https://b.example/?sig=s3cret', { cause }) }, 'an import failed')
  log.child({ reqId: 1 }).warn({ err: cause }, 'an import failed')

  const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  await expect.poll(lines).toHaveLength(2)
  for (const line of await lines()) {
    expect(line).not.toContain('s3cret')
    expect(JSON.parse(line).err.stack).toContain('https://[redacted]@b.example/x.git?[redacted]')
  }
})
