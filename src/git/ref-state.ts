/** Whether a name may mean another commit than it did: told by the files git keeps refs in, without asking git. */
import { statSync } from 'node:fs'
import { isObjectId } from './names.ts'
import type { Repo } from './repository.ts'

/** A file changed this recently may change again without its times telling. */
const tooFresh_ms = 50

/**
 * Something that differs whenever `revision` may mean another commit: the state of every file git would look into, as git
 * itself judges whether its packed refs are still good. Null where nothing can be told: of HEAD and its like, which name other refs; of
 * a shortened id, which any new object may make ambiguous; of files changed just now.
 *
 * These are looked at in step and not in the background: each takes 2 µs, a question to git 80.
 */
export function refState(repo: Repo, revision: string): string | null {
  const name = revision.replace(/[~^].*$/, '')
  if (isObjectId(name)) return 'an id means one thing for ever'
  if (/^[A-Z_]+$/.test(name) || /^[0-9a-f]{4,}$/.test(name)) return null
  const files = name.startsWith('refs/') ? [name] : [`refs/${name}`, `refs/tags/${name}`, `refs/heads/${name}`]
  let state = ''
  for (const file of [...files, 'packed-refs']) {
    const found = statSync(`${repo.dir}/${file}`, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs < tooFresh_ms) return null
    state += found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs};` : ';'
  }
  return state
}
