/** The README of a folder, below its files. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { renderFile } from '../../../features/instance/markdown/markdown.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { webUrl } from '../../../links.ts'
import { Html, html } from '../../frame/html.ts'
import { addressAt, type Place } from '../../project/address.ts'

/** Longer ones are shown as a link. */
const max_bytes = 256 * 1024

interface Readme {
  project: LocatedProject
  repo: Repo
  place: Place
  rows: readonly ListedEntry[]
  /** By whom renderings are limited. */
  reader: string
}

/** Null where there is none. Kept by what it depends on: the text, and where its links lead. */
export async function readmeOf({ config }: App, { project, repo, place, rows, reader }: Readme): Promise<Html | null> {
  const entry = rows.find(({ type, name }) => type === 'blob' && /^readme(\.(md|markdown|mkd|txt))?$/i.test(name))
  const info = entry && (await objectInfo(repo, entry.oid))
  if (!entry || !info) return null
  const address = addressAt(project.full_path, 'blob', place.revision, entry.path)
  const around = (
    content: Html,
  ) => html`<section class="file readme" aria-label="${entry.name}"><header><a href="${address}">${entry.name}</a></header>
<div class="prose">${content}</div></section>`
  if (info.size > max_bytes) return around(html`<p><a href="${address}">Open ${entry.name}</a></p>`)
  const text = (await readBlob(repo, entry.oid))?.data.toString('utf8') ?? ''
  if (!/\.m/i.test(entry.name)) return around(html`<pre>${text}</pre>`)
  const home = { url: webUrl(config, project.full_path), default_branch: place.revision }
  try {
    const rendered = await cached(
      repo.git.cache,
      `${repo.dir} prose ${entry.oid} ${JSON.stringify(home)}`,
      () => renderFile(reader, text, { gfm: true, home, within_page: true }),
      (made) => 100 + 2 * made.length,
    )
    return around(new Html(rendered))
  } catch (error) {
    if (error instanceof Failure) return around(html`<pre>${text}</pre>`)
    throw error
  }
}
