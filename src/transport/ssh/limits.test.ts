import { expect, test } from 'vitest'
import { concurrencyLimiter } from '../../limits/concurrency.ts'
import { connectionLimiter, defaultLimits, type SshLimits } from './limits.ts'

const gateOf = (limits: SshLimits) => connectionLimiter(limits, (_, bounds) => concurrencyLimiter(bounds))

/** Which of these may enter, one after the other. */
const admitted = async (gate: ReturnType<typeof gateOf>, ends: string[]) => {
  const answers = []
  for (const end of ends) answers.push((await gate.enter(`192.0.2.${end}`)) !== null)
  return answers
}

test('an address has its share, of all places and of those for strangers', async () => {
  const gate = gateOf({ ...defaultLimits, connections_of_address: 3, unsigned_of_address: 2 })
  const [first, second] = [await gate.enter('192.0.2.1'), await gate.enter('192.0.2.1')]
  expect([first, second, await gate.enter('192.0.2.1')]).toEqual([expect.anything(), expect.anything(), null])
  expect(await gate.enter('192.0.2.2')).not.toBeNull()
  first?.signedIn()
  expect(await gate.enter('192.0.2.1')).not.toBeNull()
  second?.signedIn()
  expect(await gate.enter('192.0.2.1')).toBeNull()
  first?.leave()
  expect(await gate.enter('192.0.2.1')).not.toBeNull()
})

test('there is an end for everybody', async () => {
  const strangers = gateOf({ ...defaultLimits, unsigned: 2 })
  expect(await admitted(strangers, ['1', '2', '3'])).toEqual([true, true, false])
  const all = gateOf({ ...defaultLimits, connections: 2 })
  for (const end of ['1', '2']) (await all.enter(`192.0.2.${end}`))?.signedIn()
  expect(await all.enter('192.0.2.3')).toBeNull()
})

test('a connection that ends, or is refused, is counted out exactly once', async () => {
  const gate = gateOf({ ...defaultLimits, unsigned: 2, connections: 2 })
  const [stranger, known] = [await gate.enter('192.0.2.1'), await gate.enter('192.0.2.1')]
  known?.signedIn()
  expect(await gate.enter('192.0.2.1')).toBeNull()
  for (const slot of [stranger, stranger, known, known]) slot?.leave()
  expect(await admitted(gate, ['1', '2', '3'])).toEqual([true, true, false])
})
