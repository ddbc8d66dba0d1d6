/** Archives of a commit, created by git while they are sent. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { requireListableTree } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { outputOf, sendingDeadline_ms, whenStarted } from '../process/output.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip'

/**
 * The files of a commit as an archive, below `folder`. Throws if git fails before its first byte, or the tree has too many entries; later
 * failures are errors of the stream. Closing the stream kills git.
 */
export async function openArchive(repo: Repo, commit: string, format: ArchiveFormat, folder: string): Promise<Readable> {
  const args = command`archive --format=${format} --prefix=${folder}/ ${commit}`
  await requireListableTree(repo, commit)
  return whenStarted(outputOf(startIn(repo, args, { deadline_ms: sendingDeadline_ms }), args))
}

/** Whether this machine can create the format: only bzip2 needs a program besides git. */
export async function canArchive(format: ArchiveFormat): Promise<boolean> {
  if (format !== 'tar.bz2') return true
  const folders = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter)
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, 'bzip2'), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
