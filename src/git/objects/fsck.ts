/** Checks commits that were written by the API as strictly as git checks pushes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failureIn } from '../process/git-failure.ts'
import { captureIn, type Repo, run } from '../repository/repository.ts'
import { withQuarantine } from './quarantine.ts'

const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Files that configure git, under every name by which a file system may find them. */
const special = /^(?:\.gitmodules|\.gitattributes|(?:gitmod|gitatt|gi[0-9a-f]*)~)/i

/** Whether git checks the content of a file at this path during a push. */
export function isLookedInto(path: string): boolean {
  return path.split(/[/\\]/).some((part) => special.test(part.replace(ignoredByHfs, '')))
}

/** Git's error for the commit and all objects that its parents don't have; null if there is none. */
export async function fsckError(repo: Repo, commit: string, parents: string[]): Promise<string | null> {
  const input = [commit, ...parents.map((parent) => `^${parent}`), ''].join('\n')
  // Git can only check blobs that it reads from the repository.
  const pack = await run(repo, ['pack-objects', '--quiet', '--revs', '--stdout', '--filter=blob:none'], { input })
  const folder = await mkdtemp(join(repo.dir, 'objects', 'tmp_objdir-check-'))
  try {
    const args = ['index-pack', '--strict', '--stdin']
    const options = { env: withQuarantine(repo, folder), input: pack, accept: [128] }
    const { code, stderr } = await captureIn(repo, args, options)
    const fieldError = /^error: object \w+: (.*)$/m.exec(stderr)?.[1]
    if (code !== 0 && fieldError === undefined) throw await failureIn(repo.dir, args, code, stderr)
    return fieldError ?? null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
