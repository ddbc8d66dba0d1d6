/** Parts that pages of branches, tags and releases share. */
import type { LocatedProject } from '../../../access/find.ts'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import type { RefKind } from '../../../git/refs/ref-cache.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { shortId } from '../history/commits.ts'

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** A ref, and an unambiguous revision for it. */
export interface Named {
  name: string
  revision: string
}

export function branchNamed(name: string): Named {
  return { name, revision: branchRevision(name) }
}

/** The URLs of the archives of a ref, by format, as in the API. */
export function archivesOf({ full_path, path }: LocatedProject, { name, revision }: Named): Array<{ format: string; href: string }> {
  const file = encodeURIComponent(`${path}-${name.replaceAll('/', '-')}`)
  return formats.map((format) => ({ format, href: `/${full_path}/-/archive/${encodeURIComponent(revision)}/${file}.${format}` }))
}

/** A menu of archives, which opens without scripts. */
export function downloadMenu(project: LocatedProject, ref: Named): Html {
  return html`<details class="menu"><summary>Download<span class="unseen"> <bdi>${ref.name}</bdi></span></summary><ul>${archivesOf(
    project,
    ref,
  ).map(({ format, href }) => html`<li><a href="${href}" download>${format}</a></li>`)}</ul></details>`
}

/** Short id, title and age of the commit of a ref. */
export function commitOfRef(project: LocatedProject, { oid, message, committer }: Commit): Html {
  return html`
    <a href="${commitAddress(project, oid)}"><code>${shortId(oid)}</code></a> <bdi>${titleOf(message)}</bdi> ·
    ${ago(committer.date)}
  `
}

export function branchLink({ full_path }: LocatedProject, name: string): Html {
  return html`<a class="ref" href="${addressAt(full_path, 'tree', branchRevision(name))}"><bdi>${name}</bdi></a>`
}

export function badge(words: string, kind = ''): Html {
  return html`<span class="${`tag ${kind}`.trim()}">${words}</span> `
}

/** Names to choose from in a field, newest first: a list of all would be a megabyte in large repositories. */
export async function recentNames(repo: Repo, kind: RefKind): Promise<string[]> {
  const { rows } = await pageOfRefs(repo, kind, { order_by: 'updated', sort: 'desc' }, { limit: 50, offset: 0 })
  return rows.map(({ name }) => name)
}

/** The page to return to after a form; `fallback` for anything but a page of this instance. */
export function backTo(sent: string | undefined, fallback: string): string {
  return ownAddress(sent) ?? fallback
}
