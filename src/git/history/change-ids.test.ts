/** Change ids of Gerrit and jj, and what only looks like one. */
import { expect, test } from 'vitest'
import type { Repo } from '../repository/repository.ts'
import { changeIdOf, maxChanges, readChangeIds } from './change-ids.ts'

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

test('of many or long commits none is read', async () => {
  let reads = 0
  const data = commit(`${'x'.repeat(1024 * 1024)}\n\nChange-Id: I${'a'.repeat(40)}`)
  const contents = async (_: string, oid: string) => {
    reads += 1
    return { oid, type: 'commit', data }
  }
  const repo = { dir: '', git: { objects: { contents } } } as unknown as Repo
  const commits = (count: number) => Array.from({ length: count }, (_, index) => String(index))
  expect(await readChangeIds(repo, commits(2))).toEqual([`I${'a'.repeat(40)}`, `I${'a'.repeat(40)}`])
  expect([new Set(await readChangeIds(repo, commits(50))), reads]).toEqual([new Set([null]), 6])
  expect([new Set(await readChangeIds(repo, commits(maxChanges + 1))), reads]).toEqual([new Set([null]), 6])
})
