/** Work of one key never overlaps, whatever becomes of it. */
import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('work of one key runs in its order, one at a time, after failures too; that of another key doesn’t wait', async () => {
  const events: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const work = (name: string, until?: Promise<void>) => async () => {
    events.push(`${name} began`)
    await until
    events.push(`${name} ended`)
    if (name === 'first') throw new Error('no')
    return name
  }
  const first = oneAtATime('a', work('first', held))
  const others = [oneAtATime('a', work('second')), oneAtATime('a', work('third'))]
  expect(await oneAtATime('b', work('other'))).toBe('other')
  release()
  await expect(first).rejects.toThrow('no')
  expect(await Promise.all(others)).toEqual(['second', 'third'])
  const inOrder = ['first ended', 'second began', 'second ended', 'third began', 'third ended']
  expect(events).toEqual(['first began', 'other began', 'other ended', ...inOrder])
})
