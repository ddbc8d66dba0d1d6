/** Pushers get git's own report, byte by byte, or one that tells what really happened. */
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { type Failure, storageFull } from '../../failure.ts'
import { withReport } from './push-report.ts'

const packet = (payload: string) => `${(Buffer.byteLength(payload) + 4).toString(16).padStart(4, '0')}${payload}`
const report = (...lines: string[]) => `${lines.map((line) => packet(`${line}\n`)).join('')}0000`
const inBands = (text: string, words = 'Resolving') => `${packet(`\x02${words}\n`)}${packet(`\x01${text}`)}0000`

interface Told {
  failure?: Failure
  refusal?: string
  isConversation?: boolean
  /** Bytes of each piece. */
  pieces?: number
}

async function told(output: string, { failure, refusal, isConversation = false, pieces = 1 }: Told = {}): Promise<string> {
  const bytes = Buffer.from(output)
  const stdout = Readable.from(
    Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, index) => bytes.subarray(index * pieces, (index + 1) * pieces)),
    { objectMode: false },
  )
  const finished = Promise.resolve({ code: 0, stderr: '' })
  const child = { stdin: new PassThrough(), stdout, pipes: [], finished, kill: () => {} }
  const reporting = { repo: await bareRepository(), outcome: { failure: failure ?? null, refusal: refusal ?? null }, isConversation }
  return (await buffer(withReport(child, reporting).stdout)).toString()
}

const taken = report('unpack ok', 'ok refs/heads/main', 'ng refs/heads/other non-fast-forward')

test.each([1, 7, 10_000])('git’s report passes unchanged, in chunks of %i bytes', async (pieces) => {
  expect(await told(inBands(taken), { pieces })).toBe(inBands(taken))
})

test('refs are recorded before the client gets the report', async () => {
  const refs = `${packet(`\x01${'0'.repeat(40)} capabilities^{}\0report-status`)}0000`
  expect(await told(refs + inBands(taken), { isConversation: true, pieces: 3 })).toBe(refs + inBands(taken))
})

test('a client without side-band gets our message in the report', async () => {
  const lost = report('unpack ok', 'ng refs/heads/main No storage left on the server', 'ng refs/heads/other No storage left on the server')
  expect(await told(taken, { pieces: 5 })).toBe(taken)
  expect(await told(taken, { pieces: 5, failure: storageFull(null) })).toBe(lost)
  const declined = report('unpack ok', 'ng refs/heads/main pre-receive hook declined')
  const refusal = 'Gitstead: You are not allowed to push here for $& reasons.'
  expect(await told(declined, { refusal })).toBe(report('unpack ok', `ng refs/heads/main ${refusal}`))
  // Clients with bands have read it above the report.
  expect(await told(inBands(declined), { refusal })).toBe(inBands(declined))
  const refs = `${packet(`${'0'.repeat(40)} capabilities^{}\0report-status`)}0000`
  expect(await told(refs + declined, { refusal, isConversation: true, pieces: 3 })).toBe(
    refs + report('unpack ok', `ng refs/heads/main ${refusal}`),
  )
  expect(await told(taken.slice(0, -4), { failure: storageFull(null) })).toBe(taken.slice(0, -4))
  expect(await told('no packet')).toBe('no packet')
  expect(await told('')).toBe('')
})

test('a push that could not be recorded is reported as failed, whatever git reports', async () => {
  const lost = report('unpack ok', 'ng refs/heads/main No storage left on the server', 'ng refs/heads/other No storage left on the server')
  expect(await told(inBands(taken), { failure: storageFull(null) })).toBe(inBands(lost))
})

test('a full disk is named in the report', async () => {
  const before = report('unpack index-pack abnormal exit', 'ng refs/heads/main unpacker error')
  const after = report('unpack No storage left on the server', 'ng refs/heads/main No storage left on the server')
  const words = 'fatal: write error: No space left on device'
  expect(await told(inBands(before, words))).toBe(inBands(after, words))
  expect(await told(inBands(before, 'fatal: bad object'))).toBe(inBands(before, 'fatal: bad object'))
})

test('a report of any length arrives, in packets that every client takes', async () => {
  const refs = Array.from({ length: 500 }, (_, index) => `ok refs/heads/branch-${index}`)
  const answer = await told(inBands(report('unpack ok', ...refs)), { failure: storageFull(null), pieces: 4_096 })
  expect(answer.match(/ng refs\/heads/g)?.length).toBeGreaterThan(450)
  expect(answer.endsWith('0000')).toBe(true)
})
