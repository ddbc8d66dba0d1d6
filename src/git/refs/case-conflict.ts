/** Detects refs that differ only in case: they are one file on a file system that ignores case, whatever the rules for each name say. */
import type { Repo } from '../repository/repository.ts'
import type { RefChange } from './ref-updates.ts'
import { allRefs } from './refs.ts'

export interface CaseConflict {
  ref: string
  /** The existing ref or folder of refs. */
  existing: string
}

/**
 * The first change whose ref, or a folder of it, differs from an existing one only in case; null if the file system distinguishes them.
 * Otherwise `MAIN` would move `main` in spite of its protection. Deletions count, since they would delete the other ref.
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

/** The path of a ref and of each folder above it. */
function pathsOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Normalizes at least as much as such file systems do: macOS also treats composed and decomposed letters as equal. */
function fold(path: string): string {
  return path.normalize('NFKD').toUpperCase().toLowerCase()
}
