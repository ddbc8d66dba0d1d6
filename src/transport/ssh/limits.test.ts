import { expect, test } from 'vitest'
import { concurrencyLimiter } from '../../limits/concurrency.ts'
import { defaultLimits, household, openGate, type SshLimits } from './limits.ts'

const gateOf = (limits: SshLimits) => openGate(limits, (_, bounds) => concurrencyLimiter(bounds))

test('addresses of one network count as one; those of IPv4 each for itself, however they are written', () => {
  expect(household('192.0.2.1')).toBe('192.0.2.1')
  expect(household('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(household('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(household('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(household('2001:db8::9')).toBe('2001:db8:0:0::/64')
  expect(household('::1')).toBe('0:0:0:0::/64')
  expect(household('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})

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

test('who leaves is counted out once, whatever they were, and so is who was refused', async () => {
  const gate = gateOf({ ...defaultLimits, unsigned: 2, connections: 2 })
  const [stranger, known] = [await gate.enter('192.0.2.1'), await gate.enter('192.0.2.1')]
  known?.signedIn()
  expect(await gate.enter('192.0.2.1')).toBeNull()
  for (const place of [stranger, stranger, known, known]) place?.leave()
  expect(await admitted(gate, ['1', '2', '3'])).toEqual([true, true, false])
})
