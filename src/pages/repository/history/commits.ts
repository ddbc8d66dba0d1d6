/** Commits as rows. */
import type { LocatedProject } from '../../../access/find.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { type Html, html } from '../../frame/html.ts'
import { ago } from '../../frame/phrases.ts'

export const shortId = (oid: string): string => oid.slice(0, 8)

export function commitAddress({ full_path }: Pick<LocatedProject, 'full_path'>, oid: string): string {
  return `/${full_path}/commit/${oid}`
}

/** The last commit of what a page shows, above it. */
export function commitLine(project: LocatedProject, commit: Commit): Html {
  return html`<div class="last-commit">${commitFacts(project, commit)}</div>`
}

export function commitRows(project: LocatedProject, commits: readonly Commit[]): Html {
  return html`<ol class="rows">${commits.map((commit) => html`<li>${commitFacts(project, commit)}</li>`)}</ol>`
}

/** Who changed what and when. A commit without a title is called by its id. */
function commitFacts(project: LocatedProject, { oid, author, committer, message }: Commit): Html {
  const address = commitAddress(project, oid)
  return html`<div class="what"><a href="${address}">${titleOf(message) || shortId(oid)}</a>
<p>${author.name}${author.name !== committer.name && `, committed by ${committer.name}`}, ${ago(committer.date)}</p></div>
<div class="facts"><a href="${address}"><code>${shortId(oid)}</code></a></div>`
}
