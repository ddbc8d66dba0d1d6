import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../process/command.ts'
import { onBehalfOf } from '../repository/handles.ts'
import { createRepository, type Git, openGit, type Repo, run } from '../repository/repository.ts'
import { requireListableChange, requireListableTree } from './unfolding.ts'

let home: string
let git: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-unfolding-'))
  git = await openGit(home, { by_fork_server: true })
  repo = git.open(1)
  await createRepository(repo, 'main')
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true, force: true })
})

const write = async (type: string, input: Buffer) => {
  const args = ['hash-object', '-t', type, '-w', '--stdin', '--literally']
  return (await run(repo, args, { input })).toString().trim()
}

/** A tree of so many folders, all the same empty one. */
async function folders(count: number): Promise<string> {
  const empty = Buffer.from(await write('tree', Buffer.alloc(0)), 'hex')
  const names = Array.from({ length: count }, (_, index) => [Buffer.from(`40000 ${String(index).padStart(7, '0')}\0`), empty])
  return write('tree', Buffer.concat(names.flat()))
}

test('a count waits for a slot, and does not start for a client that has gone', async () => {
  const [one, other] = [await folders(3), await folders(4)]
  const commit = async (tree: string) => (await run(repo, command`commit-tree -m x ${tree}`, { env: author })).toString().trim()
  const commits = [await commit(one), await commit(other)] as const
  const left = onBehalfOf(repo, 'user:1', () => AbortSignal.abort())
  await expect(requireListableTree(left, one)).rejects.toMatchObject({ code: 'client_gone' })
  await expect(requireListableChange(left, ...commits)).rejects.toMatchObject({ code: 'client_gone' })

  let free: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    free = resolve
  })
  const busy = Array.from({ length: 64 }, () => git.costly.run({}, () => until).catch(() => {}))
  const before = git.costly.waiting
  const counted = Promise.all([
    requireListableTree(
      onBehalfOf(repo, 'user:1', () => new AbortController().signal),
      one,
    ),
    requireListableChange(
      onBehalfOf(repo, 'user:2', () => new AbortController().signal),
      ...commits,
    ),
  ])
  await expect.poll(() => git.costly.waiting).toBe(before + 2)
  free()
  await Promise.all([counted, ...busy])
})

test('counting ends when the client leaves', async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => index)
  const trees = []
  for (const index of names) trees.push([Buffer.from(`40000 ${String(index).padStart(5, '0')}\0`), Buffer.alloc(20, index % 251)])
  const root = await write('tree', Buffer.concat(trees.flat()))
  const gone = new AbortController()
  let asked = 0
  const contents: typeof git.objects.contents = (dir, name) => {
    asked += 1
    if (asked === 20) gone.abort()
    return git.objects.contents(dir, name)
  }
  const watched = { ...repo, git: { ...git, objects: { ...git.objects, contents } } }
  await expect(
    requireListableTree(
      onBehalfOf(watched, 'user:1', () => gone.signal),
      root,
    ),
  ).rejects.toMatchObject({ code: 'client_gone' })
  expect(asked).toBeLessThan(40)
})

const author = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' }
