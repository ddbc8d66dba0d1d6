/** HEAD: the default branch of a repository. */

import { randomUUID } from 'node:crypto'
import { link, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { renameDurably } from '../../durable.ts'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

/** The branch HEAD names, whether or not it exists. */
export async function readHead(repo: Repo): Promise<string> {
  const output = await run(repo, command`symbolic-ref --quiet HEAD`)
  return output
    .toString('utf8')
    .trim()
    .replace(/^refs\/heads\//, '')
}

/** Locks of HEAD older than this are stale: git holds them for milliseconds. */
const lockAge_ms = 10_000
const lookAgain_ms = 20

/**
 * Points HEAD at a branch, which need not exist. It is on disk when this resolves. Git never flushes symbolic refs, whatever `core.fsync`
 * says, so the file could be empty after a power failure. So this writes the file as git does, with the same lock.
 */
export async function setHead({ dir }: Repo, branch: string): Promise<void> {
  const draft = join(dir, `arriving-head-${randomUUID()}`)
  const lock = join(dir, 'HEAD.lock')
  await writeFile(draft, headText(branch), { flag: 'wx', flush: true })
  try {
    while (!(await linkOnce(draft, lock))) {
      const held = await stat(lock).catch(() => null)
      if (held && Date.now() - held.ctimeMs > lockAge_ms) await rm(lock, { force: true })
      else await setTimeout(lookAgain_ms)
    }
    await renameDurably(lock, join(dir, 'HEAD')).catch(async (error: unknown) => {
      await rm(lock, { force: true })
      throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
}

export function headText(branch: string): string {
  if (branch === '' || [...branch].some((letter) => letter <= ' ')) throw new Error('HEAD can name no such branch')
  return `ref: refs/heads/${branch}\n`
}

/** Returns false if there is a file of that name. */
export function linkOnce(file: string, name: string): Promise<boolean> {
  return link(file, name).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}
