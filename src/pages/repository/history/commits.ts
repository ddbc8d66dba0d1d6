/** Commits as rows: author, title, time and status. */

import type { LocatedProject } from '../../../access/find.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { presentUserBrief, usersByAddress } from '../../../features/people/users/users.ts'
import { lastPipelinesOf } from '../../../features/repository/commits/commits.ts'
import { signatureTypes } from '../../../git/history/signature.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit, Signature } from '../../../git/objects/parse.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { fullDay } from '../../../html/numbers-and-dates.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { avatar, copyable, icon, isolated } from '../../frame/parts.ts'
import { statusBadge } from '../../project/status-badge.ts'

export const shortId = (oid: string): string => oid.slice(0, 8)

/** The last commit of the page's content, above it. One statement. */
export async function commitLine(
  app: App,
  { project, user }: { project: LocatedProject; user: User | null },
  commit: Commit,
): Promise<Html> {
  const address = commitAddress(project, commit.oid)
  const authors = await usersByAddress(app.db, user, [commit.author.email])
  return html`
    <div class="last-commit">
      ${whatOf(commit, address, personOf(app, commit.author, authors))}
      <div class="facts"><a href="${address}"><code>${shortId(commit.oid)}</code></a></div>
    </div>
  `
}

/** Data about commits that git doesn't have. */
export interface CommitFacts {
  /** Accounts of authors, by email address in lower case, if the viewer may find them by it. */
  authors: ReadonlyMap<string, User>
  /** Statuses of pipelines, by commit. */
  pipelines: ReadonlyMap<string, { id: number; status: string }>
  /** The commits that are signed. */
  signed: ReadonlySet<string>
}

/** At most two statements, and no process but the reader of objects. */
export async function factsOf(
  app: App,
  { project, user, repo }: { project: LocatedProject; user: User | null; repo: Repo },
  commits: readonly Commit[],
): Promise<CommitFacts> {
  const oids = commits.map(({ oid }) => oid)
  const [authors, pipelines, types] = await Promise.all([
    usersByAddress(
      app.db,
      user,
      commits.map(({ author }) => author.email),
    ),
    lastPipelinesOf(app.db, project.id, oids),
    Promise.all(oids.map((oid) => signatureTypes(repo, 'commit', oid))),
  ])
  return { authors, pipelines, signed: new Set(oids.filter((_, index) => (types[index] ?? []).length > 0)) }
}

/** With a heading for each day, in the given order. */
export function commitsByDay(app: App, project: LocatedProject, commits: readonly Commit[], facts: CommitFacts): Html {
  const groups: Array<{ day: string; commits: Commit[] }> = []
  for (const commit of commits) {
    const day = fullDay(new Date(commit.committer.date))
    const last = groups.at(-1)
    if (last?.day === day) last.commits.push(commit)
    else groups.push({ day, commits: [commit] })
  }
  return html`${groups.map(
    ({ day, commits: those }) =>
      html`<h2 class="day">${day}</h2><ol class="rows">${those.map((commit) => rowOf(app, project, commit, facts))}</ol>`,
  )}`
}

/** Rows in one list, without headings. */
export function commitRows(app: App, project: LocatedProject, commits: readonly Commit[], facts: CommitFacts): Html {
  return html`<ol class="rows">${commits.map((commit) => rowOf(app, project, commit, facts))}</ol>`
}

function rowOf(app: App, project: LocatedProject, commit: Commit, { authors, pipelines, signed }: CommitFacts): Html {
  const { oid, author } = commit
  const pipeline = pipelines.get(oid)
  return html`
    <li>
      ${whatOf(commit, commitAddress(project, oid), personOf(app, author, authors))}
      <div class="facts">
        ${pipeline ? statusBadge(pipeline.status, pipelineAddress(project, pipeline.id)) : null}
        ${signed.has(oid) && html`<span class="tag">signed</span>`}${copyable(t`Commit id`, shortId(oid))}
        <a href="${addressAt(project.full_path, 'tree', oid)}">
          ${icon('folder')}<span class="unseen">Browse files at ${shortId(oid)}</span>
        </a>
      </div>
    </li>
  `
}

/** A commit without a title is named by its id. */
function whatOf({ oid, author, committer, message }: Commit, address: string, person: Html): Html {
  return html`
    <div class="what">
      <a href="${address}">${isolated(titleOf(message) || shortId(oid))}</a>
      <p>
        ${person}${author.name !== committer.name && html`, committed by ${isolated(committer.name)}`},
        ${ago(committer.date)}
      </p>
    </div>
  `
}

/** With their avatar and a link, if the viewer may know whose address it is. */
export function personOf(app: App, { name, email }: Signature, accounts: ReadonlyMap<string, User>): Html {
  const account = accounts.get(email.toLowerCase())
  if (!account) return isolated(name)
  return html`${avatar(presentUserBrief(app.config, account).avatar_url, 20)} <a href="/${account.username}">${isolated(name)}</a>`
}
