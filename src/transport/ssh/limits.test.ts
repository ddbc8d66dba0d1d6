import { expect, test } from 'vitest'
import { defaultLimits, openGate } from './limits.ts'

test('an address has its share, of all places and of those for strangers', () => {
  const gate = openGate({ ...defaultLimits, connections_of_address: 3, unsigned_of_address: 2 })
  const [first, second] = [gate.enter('192.0.2.1'), gate.enter('192.0.2.1')]
  expect([first, second, gate.enter('192.0.2.1')]).toEqual([expect.anything(), expect.anything(), null])
  expect(gate.enter('192.0.2.2')).not.toBeNull()
  first?.signedIn()
  expect(gate.enter('192.0.2.1')).not.toBeNull()
  second?.signedIn()
  expect(gate.enter('192.0.2.1')).toBeNull()
  first?.leave()
  expect(gate.enter('192.0.2.1')).not.toBeNull()
})

test('there is an end for everybody', () => {
  const strangers = openGate({ ...defaultLimits, unsigned: 2 })
  expect(['1', '2', '3'].map((end) => strangers.enter(`192.0.2.${end}`) !== null)).toEqual([true, true, false])
  const all = openGate({ ...defaultLimits, connections: 2 })
  for (const end of ['1', '2']) all.enter(`192.0.2.${end}`)?.signedIn()
  expect(all.enter('192.0.2.3')).toBeNull()
})

test('who leaves is counted out once, whatever he was', () => {
  const gate = openGate({ ...defaultLimits, unsigned: 2 })
  const [stranger, known] = [gate.enter('192.0.2.1'), gate.enter('192.0.2.1')]
  known?.signedIn()
  for (const place of [stranger, stranger, known, known]) place?.leave()
  expect(gate.count()).toBe(0)
  expect(['1', '2', '3'].map((end) => gate.enter(`192.0.2.${end}`) !== null)).toEqual([true, true, false])
})
