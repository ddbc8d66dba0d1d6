/** Repositories for one operation, which count what its objects bring into memory and fail at a limit. */
import type { ReadMeter } from '../../limits/read-meter.ts'
import type { Git, Repo } from './repository.ts'

/** Shares processes and caches with the given handle. */
export function meteredGit(git: Git, meter: ReadMeter): Git {
  const metered: Git = {
    ...git,
    objects: { ...git.objects, contents: (dir, name) => git.objects.contents(dir, name, meter) },
    open: (id) => ({ ...git.open(id), git: metered }),
    openWiki: (id) => ({ ...git.openWiki(id), git: metered }),
  }
  return metered
}

export function meteredRepo(repo: Repo, git: Git): Repo {
  return { ...repo, git }
}
