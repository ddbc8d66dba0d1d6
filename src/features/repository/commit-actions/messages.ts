/** Messages of reverts and cherry-picks, in the words of the reference, with the merge request of a merge commit. */
import type { App } from '../../../app.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommits } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Pusher } from '../pushes/pushes.ts'
import { commitsOfNewestVersion, mergedWith } from './merged-with.queries.ts'

/** Unlike git's message, it has no full stop at the end. */
export async function revertMessage(app: App, pusher: Pusher, { oid, message, parents }: Commit): Promise<string> {
  const request = parents.length > 1 ? await mergedWith(app.db, pusher.user, pusher.project.id, oid) : null
  const [subject = ''] = message.trimStart().split('\n', 1)
  return `Revert "${subject.trimEnd()}"\n\nThis reverts ${request ? `merge request !${request.iid}` : `commit ${oid}`}`
}

/** Maximum number of commits that the message of a picked merge lists. */
const maxListed = 500
const readAtOnce = 20

/** The message of a cherry-pick. For a merge request it lists the commits, oldest first. */
export async function pickMessage(app: App, repo: Repo, pusher: Pusher, { oid, message, parents }: Commit): Promise<string> {
  const picked = `${message.trimEnd()}\n\n(cherry picked from commit ${oid})`
  const request = parents.length > 1 ? await mergedWith(app.db, pusher.user, pusher.project.id, oid) : null
  const oids = request ? (await commitsOfNewestVersion(app.db, request.id, maxListed)).reverse() : []
  const lines: string[] = []
  for (let at = 0; at < oids.length; at += readAtOnce) {
    const commits = await readCommits(repo, oids.slice(at, at + readAtOnce))
    lines.push(...commits.map((commit) => `${commit.oid.slice(0, 8)} ${titleOf(commit.message)}`))
  }
  return lines.length === 0 ? picked : `${picked}\n\n${lines.join('\n')}`
}
