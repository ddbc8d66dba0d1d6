/** Long answers to readers that take everything at once. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { listEndpoint } from '../declare/endpoint.ts'
import { anyone } from '../declare/rules.ts'
import { mount } from './mount.ts'
import { openServer } from './server.ts'

test('between the pieces of a long answer the process does what else there is to do', async () => {
  const forge = await testForge()
  const app = { ...forge.app, limits: { ...forge.app.limits, portion_bytes: 10 } }
  const server = await openServer(app)
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  const turnsAt = new Map<number, number>()
  /** Each is larger than a portion: a piece of its own. */
  const rows = Array.from({ length: 10 }, (_, index) => ({
    get text() {
      turnsAt.set(index, turns)
      return 'x'.repeat(100)
    },
  }))
  const handle = () => ({ rows, total: rows.length })
  mount(server, app, [listEndpoint('GET /long', { summary: 'Long', access: anyone(), item: Type.Object({ text: Type.String() }), handle })])
  await server.ready()

  setImmediate(count)
  const answer = await server.inject('/api/v4/long')
  isDone = true

  expect(answer.json()).toEqual(Array.from({ length: 10 }, () => ({ text: 'x'.repeat(100) })))
  expect(new Set(turnsAt.values()).size).toBe(rows.length)
})
