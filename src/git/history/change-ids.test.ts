/** Change ids of Gerrit and jj, and what only looks like one. */
import { expect, test } from 'vitest'
import { changeIdOf } from './change-ids.ts'

const commit = (message: string, ...headers: string[]) =>
  Buffer.from(['tree 0', 'author A <a@b> 0 +0000', 'committer A <a@b> 0 +0000', ...headers, '', message].join('\n'))

test('a change id is a trailer of the message, or the header of jj', () => {
  const [id, ofJj] = [`I${'0123456789'.repeat(4)}`, 'k'.repeat(32)]
  expect(changeIdOf(commit(`Add\n\nSigned-off-by: A <a@b>\nChange-Id: ${id}`))).toBe(id)
  expect(changeIdOf(commit(`Add\n\nChange-Id: I${'AB'.repeat(20)}\n`))).toBe(`I${'ab'.repeat(20)}`)
  expect(changeIdOf(commit('Add\n', `change-id ${ofJj}`))).toBe(ofJj)
  for (const other of [
    `Change-Id: ${id}`,
    `Add\n\nSee Change-Id: ${id}`,
    `Add\n\nChange-Id: I${'a'.repeat(2_000)}`,
    'Add\n\nChange-Id: x',
    '',
  ])
    expect(changeIdOf(commit(other, `change-id ${'a'.repeat(32)}`))).toBeNull()
})
