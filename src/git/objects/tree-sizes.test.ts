import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRepository, type Git, openGit, type Repo, run } from '../repository/repository.ts'
import { fileReader, type SizedFile, visitFiles } from './tree-sizes.ts'

type NamedSize = Omit<SizedFile, 'oid'>

let home: string
let git: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-sizes-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true })
})

async function treeOf(lines: string[]): Promise<string> {
  return (await run(repo, ['mktree', '-z', '--missing'], { input: lines.map((line) => `${line}\0`).join('') })).toString().trim()
}

async function blobOf(content: string): Promise<string> {
  return (await run(repo, ['hash-object', '-w', '--stdin'], { input: content })).toString().trim()
}

async function filesOf(oid: string, deadline_ms = 10_000): Promise<NamedSize[]> {
  const files: NamedSize[] = []
  await visitFiles(repo, oid, deadline_ms, ({ path, size }) => files.push({ path, size }))
  return files
}

test('every file is listed with its size, however deep and whatever its name, without links and submodules', async () => {
  const ten = await blobOf('0123456789')
  const below = await treeOf([`100755 blob ${ten}\tnew\nline\t.sh`, `100644 blob ${await blobOf('')}\tempty`])
  const root = await treeOf([
    `040000 tree ${below}\tfolder`,
    `100644 blob ${ten}\tä "quoted"`,
    `120000 blob ${ten}\tlink`,
    `160000 commit ${'1'.repeat(40)}\tmodule`,
  ])
  expect(await filesOf(root)).toEqual([
    { path: 'folder/empty', size: 0 },
    { path: 'folder/new\nline\t.sh', size: 10 },
    { path: 'ä "quoted"', size: 10 },
  ])
})

test('a tree that is not there is an error, and so is a deadline that passes', async () => {
  await expect(filesOf('1'.repeat(40))).rejects.toMatchObject({ code: 'git_failed' })
  const many = await treeOf(Array.from({ length: 20_000 }, (_, index) => `100644 blob ${'2'.repeat(40)}\tf${index}`))
  await expect(filesOf(many, 1)).rejects.toMatchObject({ code: 'timed_out' })
})

test('records are read in whatever pieces they come', () => {
  const bytes = Buffer.from(`100644 blob ${'a'.repeat(40)}       7\tone\x00100644 blob ${'b'.repeat(40)} 1234567\tsøndag/two\x00`)
  for (const size of [1, 2, 61, 1_000]) {
    const files: SizedFile[] = []
    const take = fileReader((file) => files.push(file))
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size))
    expect(files).toEqual([
      { path: 'one', oid: 'a'.repeat(40), size: 7 },
      { path: 'søndag/two', oid: 'b'.repeat(40), size: 1234567 },
    ])
  }
})
