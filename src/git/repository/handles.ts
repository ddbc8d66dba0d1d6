/** Handles on a repository for different users of it: on whose behalf commands count, when they end, and which refs are visible. */
import type { RefReads } from './ref-reads.ts'
import type { Repo } from './repository.ts'

/** The handle for background work: its commands are killed when the signal aborts. */
export function endingWith({ dir, git }: Repo, signal: AbortSignal | undefined): Repo {
  return signal ? { dir, git, signal } : { dir, git }
}

/** The handle for a change: its costly commands count as this caller's, and none of them is killed when the client leaves. */
export function countedFor({ dir, git }: Repo, caller: string): Repo {
  return { dir, git, caller }
}

/** The handle for one request. `signalOf` is called when the first command needs the signal: most requests start no command. */
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

/** Returns a handle for a reader who may or may not see the merge requests of the project; if not, their refs are hidden. */
export function showingMergeRequests(repo: Repo, showsMergeRequests: boolean): Repo {
  const { dir, git, caller } = repo
  return {
    dir,
    git,
    ...(caller !== undefined && { caller }),
    showsMergeRequests,
    // A getter, so that the signal is created only when it is needed, as in the given handle.
    get signal() {
      return repo.signal
    },
  }
}

/** Returns a handle that records which refs are read through it. */
export function recordingRefs(repo: Repo, reads: RefReads): Repo {
  const { dir, git, caller, showsMergeRequests } = repo
  return {
    dir,
    git,
    ...(caller !== undefined && { caller }),
    ...(showsMergeRequests !== undefined && { showsMergeRequests }),
    reads,
    get signal() {
      return repo.signal
    },
  }
}
