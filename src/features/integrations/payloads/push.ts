/** Payloads of pushes to branches and tags: built in the background, since they need git. */

import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { type ChangedPaths, changedPathsOf } from '../../../git/diff/changed-paths.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { listCommits } from '../../../git/history/history.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommitsWithin, readTag } from '../../../git/objects/read.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { PushFacts, RepositoryFacts } from './facts.ts'
import { payloadCommit, settingOf } from './parts.ts'
import { payloadRepository } from './project.ts'
import type { PushPayload, RepositoryUpdatePayload } from './repository.schema.ts'

/** The newest commits, up to the maximum that clients of the reference expect. */
const maxCommits = 20

/** Null where the project is gone. */
export async function pushPayload(app: App, facts: PushFacts): Promise<Presented<typeof PushPayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { change, withoutCommits } = facts
  const { project, user, shown } = setting
  const repo = app.git.open(project.id)
  const isTag = change.ref.startsWith('refs/tags/')
  const checkout_sha = change.after === noObject ? null : await resolveCommit(repo, change.after)
  const { commits, total } = isTag || checkout_sha === null ? { commits: [], total: 0 } : await pushedCommits(repo, change, checkout_sha)
  const name = isTag ? 'tag_push' : 'push'
  return {
    object_kind: name,
    event_name: name,
    before: change.before,
    after: change.after,
    ref: change.ref,
    checkout_sha,
    message: isTag && change.after !== noObject ? ((await readTag(repo, change.after))?.message.trimEnd() ?? null) : null,
    user_id: user.id,
    user_name: user.name,
    user_username: user.username,
    user_email: '',
    user_avatar: user.avatar_url,
    project_id: project.id,
    project: shown,
    commits: withoutCommits ? [] : await presentCommits(app.config, repo, project, commits),
    total_commits_count: total,
    repository: payloadRepository(shown),
  }
}

/** For a push with all its refs. */
export async function repositoryPayload(app: App, facts: RepositoryFacts): Promise<Presented<typeof RepositoryUpdatePayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { user, shown } = setting
  return {
    event_name: 'repository_update',
    user_id: user.id,
    user_name: user.name,
    user_username: user.username,
    user_email: '',
    user_avatar: user.avatar_url,
    project_id: shown.id,
    project: shown,
    changes: facts.changes.map(({ ref, before, after }) => ({ ref, before, after })),
    refs: facts.changes.map(({ ref }) => ref),
  }
}

/** Oldest first; only the newest of a large push. For a new branch, the commits that the default branch lacks. */
async function pushedCommits(repo: Repo, { before }: RefChange, tip: string): Promise<{ commits: Commit[]; total: number }> {
  const newest = (oids: string[]) => readCommitsWithin(repo, oids)
  const known = before === noObject ? await resolveCommit(repo, 'HEAD') : await resolveCommit(repo, before)
  if (known === null || (known === tip && before === noObject)) {
    const { rows, total } = await listCommits(repo, { from: tip }, { limit: maxCommits, offset: 0 })
    return { commits: (await newest(rows.map(({ oid }) => oid))).reverse(), total }
  }
  const { oids, total } = await commitRange(repo, tip, known, maxCommits)
  return { commits: (await newest(oids)).reverse(), total }
}

async function presentCommits(config: Config, repo: Repo, project: { full_path: string }, commits: Commit[]) {
  const changes = await changedPathsOf(
    repo,
    commits.map(({ oid }) => oid),
  )
  const none: ChangedPaths = { added: [], modified: [], removed: [] }
  return commits.map((commit) => {
    const { added, modified, removed } = changes.get(commit.oid) ?? none
    return { ...payloadCommit(config, project, commit), added, modified, removed }
  })
}
