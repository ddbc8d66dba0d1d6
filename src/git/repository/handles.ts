/** Handles on a repository for those who use it: what counts as whose, when it ends, and what it shows. */
import type { Repo } from './repository.ts'

/** The handle for background work: its commands end with the signal. */
export function endingWith({ dir, git }: Repo, signal: AbortSignal | undefined): Repo {
  return signal ? { dir, git, signal } : { dir, git }
}

/** The handle for a change: its costly commands count as this caller's, and none of them ends with the client. */
export function countedFor({ dir, git }: Repo, caller: string): Repo {
  return { dir, git, caller }
}

/** The handle for one request. `signalOf` is called when the first command needs it: most requests start none. */
export function onBehalfOf({ dir, git, showsMergeRequests }: Repo, caller: string, signalOf: () => AbortSignal): Repo {
  let signal: AbortSignal | undefined
  return {
    dir,
    git,
    caller,
    ...(showsMergeRequests !== undefined && { showsMergeRequests }),
    get signal() {
      signal ??= signalOf()
      return signal
    },
  }
}

/** Makes a handle for a reader who sees the merge requests of the project, or doesn't: then their refs are hidden. */
export function showingMergeRequests(repo: Repo, showsMergeRequests: boolean): Repo {
  const { dir, git, caller } = repo
  return {
    dir,
    git,
    ...(caller !== undefined && { caller }),
    showsMergeRequests,
    // Asked when it is needed, as the handle itself does.
    get signal() {
      return repo.signal
    },
  }
}
