/** Refs that differ only in case: on a file system that ignores case they are one file, whatever the rules say of each name. */
import type { Repo } from '../repository/repository.ts'
import type { RefChange } from './ref-updates.ts'
import { allRefs } from './refs.ts'

export interface CaseConflict {
  ref: string
  /** The ref, or the folder of refs, that is there already. */
  existing: string
}

/**
 * The first change whose ref, or a folder of it, is spelled like an existing one but for its case; null where the file system
 * distinguishes them. `MAIN` would move `main`, past its protection. Deletions count: they would delete the other ref.
 */
export async function findCaseConflict(repo: Repo, changes: RefChange[]): Promise<CaseConflict | null> {
  if (!repo.git.ignoresCase) return null
  const spelled = new Map<string, string>()
  for (const ref of (await allRefs(repo)).keys()) for (const path of pathsOf(ref)) spelled.set(fold(path), path)
  for (const { ref } of changes) {
    for (const path of pathsOf(ref)) {
      const existing = spelled.get(fold(path)) ?? path
      if (existing !== path) return { ref, existing }
      spelled.set(fold(path), path)
    }
  }
  return null
}

/** A ref and the folders it is in. */
function pathsOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** As those file systems compare names, or more: macOS also takes composed and decomposed letters for the same. */
function fold(path: string): string {
  return path.normalize('NFKD').toUpperCase().toLowerCase()
}
