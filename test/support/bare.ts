/** Bare repositories made with the server's git, without a forge. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRepository, type Git, openGit, type Repo } from '../../src/git/repository/repository.ts'
import { atEndOfFile } from './cleanup.ts'

let opened: Promise<Git> | null = null
let counter = 0

/** An empty one. All of a test file stand in one folder, which goes with the file. */
export async function bareRepository(): Promise<Repo> {
  opened ??= openStorage()
  const repo = (await opened).open(++counter)
  await createRepository(repo, 'main')
  return repo
}

async function openStorage(): Promise<Git> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-bare-'))
  const git = await openGit(home, { by_fork_server: true })
  atEndOfFile(async () => {
    opened = null
    git.close()
    await rm(home, { recursive: true, force: true })
  })
  return git
}
